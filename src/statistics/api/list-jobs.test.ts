import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hitKinds } from '../../activity/hit.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeHit, makeHits } from '../../testing/make-activity.ts';
import { type MadeJob, makeJob, makeReceipts } from '../../testing/make-sent.ts';
import type { JobRecord } from '../job-record.ts';
import { jobSorts } from '../job-row-store.ts';

let test: TestApp;
let spring: MadeJob;
let summer: MadeJob;
let trial: MadeJob;
let old: MadeJob;
let waiting: number;

// The clock is at 2026-11-20 10:00 UTC.
beforeAll(async () => {
  test = await testApp();
  const { db } = test;
  spring = await makeJob(db, {
    campaignName: 'Été précoce',
    author: 'Zoé',
    startedAt: new Date('2026-11-01T08:00:00Z'),
    sents: 2,
    nbAddressToSend: 100,
    senderDomain: 'a.example',
  });
  summer = await makeJob(db, {
    campaignName: 'Summer',
    type: 'ExternalGame',
    author: 'ada',
    startedAt: new Date('2026-11-10T08:00:00Z'),
    nbAddressToSend: 300,
    errorInfo: 'Too slow',
    state: 'FinishedWithErrors',
    senderDomain: 'b.example',
  });
  trial = await makeJob(db, {
    idCampaign: summer.idCampaign,
    campaignName: 'Summer',
    isTest: true,
    startedAt: new Date('2026-11-09T08:00:00Z'),
    nbAddressToSend: 2,
  });
  old = await makeJob(db, { campaignName: 'Old', startedAt: new Date('2026-09-01T08:00:00Z') });
  const row = await db.one<{ id: number }>(sql`
    insert into ${db.t.job} (id_campaign, is_test, state, author, campaign_name, subject, created_at, scheduled_at)
    values (${old.idCampaign}, false, 'Programmed', 'Ada', 'Old', 'Hello', '2026-11-20T09:59:30Z',
      '2026-11-20T10:00:30Z')
    returning id`);
  waiting = row.id;
  await makeReceipts(db, spring.idJob, spring.idsSent[0]!, { accepted: [1, 2] });
  await makeReceipts(db, spring.idJob, spring.idsSent[1]!, { accepted: [3] });
  await makeReceipts(db, summer.idJob, summer.idsSent[0]!, { accepted: [1, 2, 3, 4, 5] });
  await makeHits(db, [
    makeHit(spring.idsSent[0]!, 1, hitKinds.open),
    makeHit(spring.idsSent[0]!, 2, hitKinds.open),
    makeHit(spring.idsSent[1]!, 3, hitKinds.editorial),
    makeHit(summer.idsSent[0]!, 1, hitKinds.open),
    makeHit(trial.idsSent[0]!, 1, hitKinds.open),
  ]);
});
afterAll(() => test.close());

type Query = Record<string, string | number | boolean | readonly number[]>;

async function list(query: Query = {}): Promise<JobRecord[]> {
  const prefixed = Object.fromEntries(
    Object.entries(query).map(([name, value]) => [`filters.${name}`, value]),
  );
  const reply = await test.call('GET', '/statistics/jobs', { query: prefixed as never, as: 'reader' });
  expect([reply.status, reply.error, reply.typeName]).toEqual([200, null, 'JobRecord[]']);
  return reply.data as JobRecord[];
}

async function ids(query: Query = {}): Promise<number[]> {
  return (await list(query)).map((job) => job.idJob);
}

async function refusal(query: Query): Promise<string | null> {
  const prefixed = Object.fromEntries(
    Object.entries(query).map(([name, value]) => [`filters.${name}`, value]),
  );
  const reply = await test.call('GET', '/statistics/jobs', { query: prefixed as never });
  expect([reply.status, reply.data]).toEqual([400, null]);
  return reply.error;
}

describe('listJobs', () => {
  it('200 gives a line for each job of the last 30 days, with the figures of its sendings', async () => {
    const jobs = await list();
    expect(jobs.map((job) => job.idJob)).toEqual([spring.idJob, summer.idJob, trial.idJob, waiting]);
    expect(jobs[0]).toMatchObject({
      startDate: '2026-11-01T08:00:00.000Z',
      endDate: null,
      jobStateName: 'Finished',
      idCampaign: spring.idCampaign,
      campaignName: 'Été précoce',
      isTest: false,
      mailObject: 'Hello',
      senderDomain: 'a.example',
      groupName: 'a.example',
      author: 'Zoé',
      nbSegments: 2,
      nbPubInsert: 0,
      nbLinks: 3,
      nbAddressToSend: 200,
      nbAddressSent: 3,
      nbOpenings: 3,
      nbOpeners: 3,
      nbClicks: 1,
      nbEditoClickers: 1,
      nbTotalBounces: 0,
      jobErrorInfo: null,
    });
    expect(jobs[1]).toMatchObject({ jobStateName: 'FinishedWithErrors', jobErrorInfo: 'Too slow' });
    expect(jobs[2]).toMatchObject({ isTest: true, nbOpeners: 1 });
    expect(jobs[3]).toMatchObject({ startDate: null, jobStateName: 'Programmed', nbAddressToSend: 0 });
  });

  it('200 keeps to the dates, whole and in any zone', async () => {
    expect(await ids({ startDate: '2026-08-31T00:00:00Z' })).toContain(old.idJob);
    expect(await ids({ startDate: '2026-11-01T08:00:00Z', endDate: '2026-11-01T09:00:00+01:00' })).toEqual([
      spring.idJob,
    ]);
    expect(await ids({ startDate: '2026-11-01T08:00:01Z', endDate: '2026-11-08T00:00:00Z' })).toEqual([]);
    expect(await ids({ endDate: '2026-09-15T00:00:00Z' })).toEqual([old.idJob]);
  });

  it('200 searches in names ignoring case and accents', async () => {
    expect(await ids({ search: 'ETE PRE' })).toEqual([spring.idJob]);
    expect(await ids({ search: '%' })).toEqual([]);
    expect(await ids({ author: 'ZOE' })).toEqual([spring.idJob]);
    expect(await ids({ author: 'Zo' })).toEqual([]);
  });

  it('200 takes the campaign’s type by its French name', async () => {
    expect(await ids({ idCampType: 'JEU' })).toEqual([summer.idJob, trial.idJob]);
    expect(await ids({ idCampType: 'TRANSACTIONNEL' })).toEqual([]);
  });

  it('200 takes campaigns that carry one of the tags', async () => {
    const body = { name: 'Sales', dirType: 'Campaign' };
    const { data: id } = await test.call('POST', '/pictures/directories', { body });
    const change = { id: spring.idCampaign, parameters: {}, idDirectory: id };
    expect((await test.call('PUT', '/campaigns', { body: change })).status).toBe(200);
    expect(await ids({ tagList: `${id};999999` })).toEqual([spring.idJob]);
    expect(await ids({ tagList: '999999' })).toEqual([]);
    expect(await ids({ tagList: '' })).toHaveLength(4);
  });

  it('200 leaves test mailings out when asked', async () => {
    expect(await ids({ hideTest: true })).toEqual([spring.idJob, summer.idJob, waiting]);
    expect(await ids({ hideTest: false })).toHaveLength(4);
  });

  it('200 lists jobs of some campaigns, without dates those of all times', async () => {
    const idsCampaign = [spring.idCampaign, old.idCampaign, 999_999];
    expect(await ids({ idsCampaign })).toEqual([spring.idJob, old.idJob, waiting]);
    expect(await ids({ idsCampaign, startDate: '2026-11-01T00:00:00Z' })).toEqual([spring.idJob, waiting]);
    expect(await ids({ idsCampaign: [spring.idCampaign] })).toEqual([spring.idJob]);
  });

  it('200 lists of each campaign only the newest job that has started and meets the filters', async () => {
    const idsCampaign = [summer.idCampaign, old.idCampaign];
    expect(await ids({ idsCampaign, onlyLast: true })).toEqual([trial.idJob, old.idJob]);
    expect(await ids({ idsCampaign, onlyLast: true, hideTest: true })).toEqual([summer.idJob, old.idJob]);
    expect(await ids({ onlyLast: true })).toEqual([spring.idJob, trial.idJob]);
    expect(await ids({ onlyLast: false, hideTest: true })).toEqual([spring.idJob, summer.idJob, waiting]);
  });

  it('200 pages over any order, without doubles or gaps', async () => {
    for (const sortField of ['id_job', 'nbOpeners', 'author']) {
      const pages = await Promise.all(
        [0, 2, 4].map((offset) => ids({ sortField, paginationLines: 2, paginationOffset: offset })),
      );
      expect(pages.map((page) => page.length)).toEqual([2, 2, 0]);
      expect(pages.flat()).toEqual(await ids({ sortField }));
    }
  });

  it('200 sorts by every column and figure, both ways', async () => {
    for (const sortField of jobSorts) {
      const up = await ids({ sortField });
      const down = await ids({ sortField, sortDesc: true });
      expect([...up].sort()).toEqual([...down].sort());
    }
    expect(await ids({ sortField: 'nbOpeners', sortDesc: true })).toEqual([
      spring.idJob,
      trial.idJob,
      summer.idJob,
      waiting,
    ]);
    expect((await ids({ sortField: 'nbAddressSent', sortDesc: true }))[0]).toBe(summer.idJob);
    expect((await ids({ sortField: 'nbAddressToSend', sortDesc: true }))[0]).toBe(summer.idJob);
    expect((await ids({ sortField: 'campaignName' }))[0]).toBe(spring.idJob);
    expect((await ids({ sortField: 'startDate', sortDesc: true })).at(-1)).toBe(waiting);
    expect(await ids({ sortDesc: true })).toEqual([waiting, trial.idJob, summer.idJob, spring.idJob]);
  });

  it('200 returns 20 lines by default, and none of another site', async () => {
    for (let more = 0; more < 18; more++) {
      await makeJob(test.otherDb, { startedAt: new Date('2026-11-15T08:00:00Z') });
      await makeJob(test.db, { startedAt: new Date('2026-11-15T08:00:00Z'), isTest: true });
    }
    expect(await ids()).toHaveLength(20);
    expect(await ids({ paginationLines: 200 })).toHaveLength(22);
  });

  it('400 names the member and the rule', async () => {
    expect(await refusal({ startDate: '2026-01-01T00:00:00Z' })).toBe(
      'filters.endDate: must be at most 6 months after filters.startDate',
    );
    expect(await refusal({ startDate: '2026-11-21T00:00:00Z' })).toContain('filters.startDate');
    expect(await refusal({ startDate: 'yesterday' })).toContain('filters.startDate');
    expect(await refusal({ paginationLines: 201 })).toContain('filters.paginationLines');
    expect(await refusal({ paginationLines: 0 })).toContain('filters.paginationLines');
    expect(await refusal({ paginationOffset: -1 })).toContain('filters.paginationOffset');
    expect(await refusal({ sortField: 'id' })).toContain('filters.sortField');
    expect(await refusal({ idCampType: 'Newsletter' })).toContain('filters.idCampType');
    expect(await refusal({ tagList: '1;x' })).toBe("filters.tagList: 'x' is not a directory id");
    expect(await refusal({ sortDesc: 'maybe' })).toContain('filters.sortDesc');
    expect(await refusal({ idsCampaign: [0] })).toContain('filters.idsCampaign');
    expect(await refusal({ idsCampaign: Array.from({ length: 201 }, (_, index) => index + 1) })).toContain(
      'filters.idsCampaign',
    );
    expect(await refusal({ onlyLast: 'maybe' })).toContain('filters.onlyLast');
    expect(await refusal({ unknown: 1 })).toContain('filters.unknown');
  });

  it('401 without a token', async () => {
    expect((await test.call('GET', '/statistics/jobs', { as: null })).status).toBe(401);
  });
});
