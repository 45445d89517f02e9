import type { CampaignInput } from '../campaigns/campaign.ts';
import type { SegmentInput } from '../campaigns/segment.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import type { VariantResult } from '../sending/ab-test.ts';
import { generateJob } from '../sending/tasks/generate-job.ts';
import type { TestApp } from './app.ts';
import { makeCampaign, makeSegment, makeSubscribers, makeTarget } from './campaign-makers.ts';
import { jobsOf } from './sending-campaign.ts';

export interface AbTestOptions {
  readonly type?: 'Subject' | 'Sender' | 'Content';
  /** Recipients of each of the two variants, and of the remainder. */
  readonly size?: number;
  readonly campaign?: Partial<CampaignInput['parameters']>;
  /** The segments: by default two with a subject and a sender of their own, and a remainder with others. */
  readonly segments?: readonly Partial<SegmentInput>[];
  readonly isRandom?: boolean;
}

/** An A/B test as its generation leaves it. */
export interface MadeAbTest {
  readonly idCampaign: number;
  readonly idJob: number;
  /** Sendings of the variants and, last, of the remainder. */
  readonly idsSent: readonly number[];
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

/** The same, sent now and generated. */
export async function makeAbTest(t: TestApp, options: AbTestOptions = {}): Promise<MadeAbTest> {
  const { idCampaign } = await makeAbCampaign(t.db, options);
  const sent = await t.call('POST', '/campaigns/send-now', { body: idCampaign });
  if (!sent.success) throw new Error(`It is not sent: ${sent.error}`);
  const idJob = (await jobsOf(t.db, idCampaign)).at(-1)!.id;
  await generateJob.run(t.app, { idSite: t.db.site.id, idJob }, new AbortController().signal);
  const rows = await t.db.rows<{ id: number }>(sql`
    select id from ${t.db.t.sent} where id_job = ${idJob} order by position`);
  return { idCampaign, idJob, idsSent: rows.map(({ id }) => id) };
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

export async function abTestNow(db: SiteDb, { idJob }: MadeAbTest): Promise<AbTestNow> {
  return db.one<AbTestNow & Record<string, unknown>>(sql`
    select j.state, a.due_at as "dueAt", a.decided_at as "decidedAt", a.id_winner as "idWinner", a.results,
      (select count(*) from ${db.t.recipient_range} r where r.id_job = j.id and r.not_before = 'infinity') as held
    from ${db.t.job} j join ${db.t.ab_test} a on a.id_job = j.id
    where j.id = ${idJob}`);
}
