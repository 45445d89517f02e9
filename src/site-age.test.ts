import { afterAll, beforeAll, expect, it } from 'vitest';
import { actedInPeriod } from './activity/activity-selection.ts';
import { countersOfSents } from './activity/counter-store.ts';
import { foldActivity } from './activity/fold-store.ts';
import { hitKinds } from './activity/hit.ts';
import type { SiteDb } from './platform/db/site-db.ts';
import { sql } from './platform/db/sql.ts';
import { campaignsGenerated } from './sending/job-store.ts';
import { listJobRows } from './statistics/job-row-store.ts';
import { makeHit, makeHits } from './testing/make-activity.ts';
import { type MadeJob, makeJob, makeReceipts } from './testing/make-sent.ts';
import { scannedTables } from './testing/scanned-tables.ts';
import { type TestSite, testSite } from './testing/site.ts';

let site: TestSite;
let db: SiteDb;
let job: MadeJob;

// Twenty jobs a day for a year, as PostgreSQL knows them after some time.
beforeAll(async () => {
  site = await testSite();
  db = site.db;
  job = await makeJob(db);
  const { t } = db;
  await db.run(sql`
    with past as (
      insert into ${t.job} (id_campaign, is_test, state, author, campaign_name, subject, created_at, scheduled_at,
        started_at, frozen)
      select ${job.idCampaign}::int, n % 2 = 0, 'Finished', 'Ada', 'News', 'Hello', at, at, at,
        jsonb_build_object('source', repeat(md5(n::text), 20))
      from generate_series(1, 7300) n,
        lateral (select timestamptz '2026-11-19 12:00Z' - n * interval '72 minutes' as at) moment
      returning id, started_at)
    insert into ${t.sent} (id_job, id_sending, position, segment_name, id_target, filter_name, parameters, started_at)
    select past.id, (select min(id) from ${t.sending}), 1, 'All', 1, 'All', '{}', past.started_at from past`);
  for (const table of [t.job, t.sent]) await db.run(sql`analyze ${table}`);
});
afterAll(() => site.close());

/** Which of the tables of sendings `work` reads whole. */
const scannedBy = async (work: (tx: SiteDb) => Promise<unknown>): Promise<string[]> =>
  (await scannedTables(db, work)).filter((name) => name === 'job' || name === 'sent');

it('folding, counters and filters of what is new read no sendings of the past', async () => {
  const idSent = job.idsSent[0]!;
  await makeHits(db, [makeHit(idSent, 1, hitKinds.open), makeHit(idSent, 1, hitKinds.editorial)]);
  await makeReceipts(db, job.idJob, idSent, { accepted: [1, 2] });
  const period = { from: new Date('2026-11-19T00:00:00Z'), to: new Date('2026-11-20T10:00:00Z') };
  const opened = actedInPeriod(db.t, { action: 'Open', withoutMpp: false, period }, { min: 1, max: null });
  const filter = (tx: SiteDb) => tx.rows(sql`select from ${tx.t.subscriber} where ${opened}`);
  expect(await scannedBy((tx) => tx.rows(sql`select * from ${tx.t.job}`))).toEqual(['job']);
  expect(await scannedBy((tx) => countersOfSents(tx, [idSent]))).toEqual([]);
  expect(await scannedBy(filter)).toEqual([]);
  expect(await scannedBy((tx) => foldActivity(tx))).toEqual([]);
  expect(await scannedBy(filter)).toEqual([]);
});

it('a page of the list of jobs, and what was sent lately, read no previous ones', async () => {
  const span = { from: new Date('2026-11-10T00:00:00Z'), to: new Date('2026-11-20T00:00:00Z') };
  const page = (tx: SiteDb) =>
    listJobRows(
      tx,
      { span, hasTests: true },
      { sortBy: 'startDate', isDescending: true, start: 0, limit: 20 },
    );
  expect(await page(db)).toHaveLength(20);
  expect(await scannedBy(page)).toEqual([]);
  expect(await campaignsGenerated(db, span.from, 10)).toMatchObject([{ idCampaign: job.idCampaign }]);
  expect(await scannedBy((tx) => campaignsGenerated(tx, span.from, 10))).toEqual([]);
});
