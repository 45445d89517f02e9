import type { CampaignInput } from '../campaigns/campaign.ts';
import type { SegmentInput } from '../campaigns/segment.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import type { VariantResult } from '../sending/ab-test.ts';
import type { TestApp } from './app.ts';
import { makeCampaign, makeSegment, makeSubscribers, makeTarget } from './campaign-makers.ts';
import type { MadeJob } from './make-sent.ts';
import { programmed } from './sending-campaign.ts';

export interface AbTestOptions {
  readonly type?: 'Subject' | 'Sender' | 'Content';
  /** Recipients of each of the two variants, and of the remainder. */
  readonly size?: number;
  readonly campaign?: Partial<CampaignInput['parameters']>;
  /** The segments: by default two with a subject and a sender of their own, and a remainder with others. */
  readonly segments?: readonly Partial<SegmentInput>[];
  readonly isRandom?: boolean;
}

let lastSubscriber = 0;

/** A campaign of two variants and a remainder on one target of new subscribers; its id and theirs. */
export async function makeAbCampaign(
  db: SiteDb,
  { type = 'Subject', size = 60, campaign, segments, isRandom = false }: AbTestOptions = {},
): Promise<{ idCampaign: number; ids: readonly number[] }> {
  const ids = Array.from({ length: size * 3 }, (_, index) => lastSubscriber + index + 1);
  lastSubscriber += ids.length;
  await makeSubscribers(db, ids);
  const idCampaign = await makeCampaign(db, {
    parameters: {
      name: 'Spring',
      subject: 'It is here',
      mode: 'TestAb',
      isAbTest: true,
      abTestType: type,
      nbTests: 2,
      ...campaign,
    },
  });
  const idTarget = await makeTarget(db, { ids });
  const usual = [
    { name: 'A', fixedValues: size, mailObject: 'Subject A', senderAlias: 'Ada' },
    { name: 'B', fixedValues: size, mailObject: 'Subject B', senderAlias: 'Bea' },
    { name: 'Rest', mailObject: 'Subject of the rest', senderAlias: 'Rosa' },
  ];
  for (const segment of segments ?? usual)
    await makeSegment(db, idCampaign, { idTarget, isRandom, ...segment });
  return { idCampaign, ids };
}

/** The same, sent now and generated. The last of its sendings is that of the remainder. */
export async function makeAbTest(t: TestApp, options: AbTestOptions = {}): Promise<MadeJob> {
  const { idCampaign } = await makeAbCampaign(t.db, options);
  const { idJob, generate } = await programmed(t, idCampaign);
  await generate();
  const idsSent = await t.db.values<number>(sql`
    select id from ${t.db.t.sent} where id_job = ${idJob} order by position`);
  return { idCampaign, idJob, idsSent };
}

/** The status of a job's A/B test, from its row. */
export interface AbTestNow {
  readonly state: string;
  readonly dueAt: Date | null;
  readonly decidedAt: Date | null;
  readonly idWinner: number | null;
  readonly results: readonly VariantResult[] | null;
  /** Ranges that no worker may lease. */
  readonly held: number;
}

export async function abTestNow(db: SiteDb, { idJob }: Pick<MadeJob, 'idJob'>): Promise<AbTestNow> {
  return db.one<AbTestNow & Record<string, unknown>>(sql`
    select j.state, a.due_at as "dueAt", a.decided_at as "decidedAt", a.id_winner as "idWinner", a.results,
      (select count(*) from ${db.t.recipient_range} r where r.id_job = j.id and r.not_before = 'infinity') as held
    from ${db.t.job} j join ${db.t.ab_test} a on a.id_job = j.id
    where j.id = ${idJob}`);
}
