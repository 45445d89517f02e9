import { type CampaignInput, emptyCampaign, mergeCampaign } from '../campaigns/campaign.ts';
import { insertCampaign } from '../campaigns/campaign-store.ts';
import { type SegmentInput, segmentParameters } from '../campaigns/segment.ts';
import { insertSegment } from '../campaigns/segment-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { setFilter } from '../targets/filter-store.ts';
import { parametersOf } from '../targets/target.ts';
import { insertTarget } from '../targets/target-store.ts';

const ada = { idUser: 1, userName: 'Ada' };
const someDay = new Date('2026-11-19T09:00:00Z');

/** Subscribers of the ids given, subscribed and reachable: `<id>@example.org`. */
export async function makeSubscribers(db: SiteDb, ids: readonly number[]): Promise<void> {
  await db.run(sql`
    insert into ${db.t.subscriber} (fld0, fld1, fld2)
    select id, id || '@example.org', ${someDay} from unnest(${ids}::int[]) id`);
}

export interface TargetOptions {
  /** Selects only these; omitted: everybody. */
  readonly ids?: readonly number[];
  /** Default true: it selects subscribed people only. */
  readonly isSafe?: boolean;
  readonly isTestTarget?: boolean;
  readonly name?: string;
}

/** A target with a field filter; its id. */
export async function makeTarget(db: SiteDb, options: TargetOptions = {}): Promise<number> {
  const { ids, isSafe = true, isTestTarget = false, name = 'Readers' } = options;
  const filters = [
    ...(isSafe ? [{ idField: 7, operator: 'Equal', value: '0' }] : []),
    ...(ids ? [{ idField: 0, operator: 'In', value: ids.join(';') }] : []),
  ];
  return db.transaction(async (tx) => {
    const idTarget = await insertTarget(tx, parametersOf({ name, isTestTarget }), ada, someDay);
    if (filters.length > 0) {
      await setFilter(tx, { idTarget, kind: 'field', isEnabled: true, definition: { filters } });
    }
    return idTarget;
  });
}

/** A sending configuration whose footer has an unsubscribe link; its id. */
export async function makeConfiguration(
  db: SiteDb,
  footerHtml = '<a href="[[LINK.UNSUB]]">Unsubscribe</a>',
): Promise<number> {
  return db.value<number>(sql`
    insert into ${db.t.sending_configuration}
      (id_user, author, name, created_at, updated_at, sender_email, response_email, footer_html, footer_txt,
       object_prefix_bat)
    values (1, 'Ada', 'News', ${someDay}, ${someDay}, 'news@example.com', 'answers@example.com', ${footerHtml},
      'Unsubscribe: [[LINK.UNSUB]]', '[TEST] ')
    returning id`);
}

/** A campaign that nothing was omitted of but its segments; its id. `input` is laid over it. */
export async function makeCampaign(db: SiteDb, input: Partial<CampaignInput> = {}): Promise<number> {
  const idConfiguration = input.parameters?.idConfiguration ?? (await makeConfiguration(db));
  const parameters = { name: 'Spring', subject: 'It is here', ...input.parameters, idConfiguration };
  const htmlContent = '<p>Hello [[FLD.1]]</p>';
  const values = mergeCampaign(emptyCampaign, { htmlContent, ...input, parameters });
  return insertCampaign(db, values, { id: ada.idUser, name: ada.userName }, someDay);
}

/** A segment of the campaign, behind its others; its id. */
export async function makeSegment(
  db: SiteDb,
  idCampaign: number,
  input: Partial<SegmentInput> & { readonly idTarget: number },
): Promise<number> {
  const parameters = segmentParameters({ name: 'All', percent: 100, fixedValues: 0, ...input });
  return db.transaction((tx) => insertSegment(tx, idCampaign, parameters));
}
