import { type ChangesOf, changesOfRecord } from '../../accounts/audit-entry-store.ts';
import { getCampaign } from '../../campaigns/campaign-store.ts';
import { getSegmentAt } from '../../campaigns/segment-view.ts';
import { ContentKey } from '../../contents/content-block.ts';
import { dateOfContentBlock } from '../../contents/content-block-store.ts';
import { configurations } from '../../contents/sending-configuration-store.ts';
import { findImport } from '../../imports/import-store.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { found, invalid } from '../../platform/http/refusal.ts';
import {
  Closed,
  Count,
  IdOf,
  Nullable,
  Query,
  type Static,
  Timestamp,
  Type,
} from '../../platform/http/schema.ts';
import { filterOperations } from '../../targets/filter-operations.ts';
import { getTargetOrRefuse } from '../../targets/target-store.ts';

const segmentOperations = [
  ...['createSegment', 'updateSegment', 'deleteSegment', 'reorderSegments', 'assignAdvertisement'],
];
/** The operations that change a record, by the name of its id. */
export const changingOperations = {
  idCampaign: {
    byId: ['createCampaign', 'duplicateCampaign', 'modifyCampaign'],
    byName: [
      ...['modifyCampaignFields', 'setCampaignMjml', 'addPictureFromHtmlBuilder'],
      ...segmentOperations,
    ],
  },
  segmentPosition: { byName: segmentOperations },
  idTarget: {
    byId: ['createTarget', 'createTargetWithFilters', 'duplicateTarget'],
    byName: [
      'updateTarget',
      ...filterOperations.filter(({ method }) => method === 'PUT').map(({ id }) => id),
    ],
  },
  idConfig: {
    byId: ['createSendingConfiguration', 'duplicateSendingConfiguration', 'modifySendingConfiguration'],
  },
  // A key is no id of the log. The date of the block finds the entry.
  contentKey: { bySite: ['updateContentBlock'] },
  idImport: { byId: ['createScheduledImport'], byName: ['modifyImportSchedule'] },
  site: { bySite: ['updateSite'] },
} satisfies Readonly<Record<string, ChangesOf>>;

/** A request is logged at its end, which is later than the date of its change. */
const longestRequestMs = 60_000;
/** How far back the log is read for a record without a date. */
const readMs = 7 * 86_400_000;

const LastChangeQuery = Query({
  idCampaign: Type.Optional(IdOf('campaign', Count('The campaign'))),
  segmentPosition: Type.Optional(
    IdOf('segmentPosition', Count('A segment of the campaign, counted from 1; 0 means the campaign')),
  ),
  idTarget: Type.Optional(IdOf('target', Count('The target'))),
  idConfig: Type.Optional(IdOf('configuration', Count('The sending configuration'))),
  contentKey: Type.Optional(ContentKey('The content block')),
  idImport: Type.Optional(IdOf('import', Count('The import, for its schedule'))),
});

interface Changed {
  readonly of: ChangesOf;
  /** The date of the last change; undefined if the record has none. */
  readonly date?: Date;
}

/** The record of a request. @throws 400 for several, 404 for an unknown one */
async function recordOf(db: SiteDb, query: Static<typeof LastChangeQuery>): Promise<Changed> {
  const { idCampaign, segmentPosition, idTarget, idConfig, contentKey, idImport } = query;
  const given = { idCampaign, idTarget, idConfig, contentKey, idImport };
  const names = Object.entries(given).flatMap(([name, value]) => (value ? [name] : []));
  if (names.length > 1) throw invalid(`${names.join(', ')}: give one of them only`);
  if (segmentPosition && !idCampaign) throw invalid('segmentPosition: needs idCampaign');
  if (idCampaign && segmentPosition) {
    await getSegmentAt(db, idCampaign, segmentPosition);
    const of = { ...changingOperations.segmentPosition, name: 'idCampaign', id: idCampaign, segmentPosition };
    return { of };
  }
  if (idCampaign) {
    const { lastUpdateDate } = await getCampaign(db, idCampaign);
    const of = { ...changingOperations.idCampaign, name: 'idCampaign', id: idCampaign };
    return { of, date: new Date(lastUpdateDate) };
  }
  if (idTarget) {
    const { lastUpdateDate } = await getTargetOrRefuse(db, idTarget);
    const of = { ...changingOperations.idTarget, name: 'idTarget', id: idTarget };
    return { of, date: new Date(lastUpdateDate) };
  }
  if (idConfig) {
    const { lastModifiedDate } = await configurations.get(db, idConfig);
    return { of: { ...changingOperations.idConfig, id: idConfig }, date: new Date(lastModifiedDate) };
  }
  if (contentKey)
    return { of: changingOperations.contentKey, date: await dateOfContentBlock(db, contentKey) };
  if (idImport) {
    found(await findImport(db, idImport), 'Import', 'idImport');
    return { of: { ...changingOperations.idImport, name: 'idImport', id: idImport } };
  }
  return { of: changingOperations.site };
}

export const getLastChange = siteOperation({
  id: 'getLastChange',
  method: 'GET',
  path: '/last-change',
  right: 'read',
  tag: 'Site',
  summary: 'Get the last change of a record',
  description:
    'Give the id of one record; without one, the reply is about the settings of the site. The name comes from the ' +
    'audit log, which is written within a second of the change. It is null if the log has no entry, because the ' +
    'change is older than the log or was made by the service, and if several people changed the record within a ' +
    'minute. A segment, the schedule of an import and the settings of a site have no date of their own: changes of ' +
    'the last seven days are found for them, and the date is null if there is none.',
  query: LastChangeQuery,
  reply: Closed('LastChange', {
    date: Nullable(Timestamp()),
    userName: Nullable(Type.String({ title: 'String', description: 'The name that the user has now' })),
  }),
  refusals: [404],
  async handle({ app, db, query, now }) {
    const { of, date } = await recordOf(db, query);
    const from = date ?? new Date(now.getTime() - readMs);
    const to = new Date((date ?? now).getTime() + longestRequestMs);
    const changes = await changesOfRecord(app.control, db.site.id, of, { from, to, most: 100 });
    const newest = changes[0]?.at.getTime() ?? 0;
    // Several people within a minute: the entries, which have the end of a request, do not tell whose change was last.
    const names = new Set(
      changes.filter(({ at }) => at.getTime() >= newest - longestRequestMs).map(({ userName }) => userName),
    );
    const shown = date ?? changes[0]?.at;
    return { date: shown?.toISOString() ?? null, userName: names.size === 1 ? [...names][0]! : null };
  },
});
