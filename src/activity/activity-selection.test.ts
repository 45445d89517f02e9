import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { makeHit, makeHits } from '../testing/make-activity.ts';
import { makeAdvertisementLink } from '../testing/make-advertisement.ts';
import { makeJob, makeOpenRange, makeReceipts } from '../testing/make-sent.ts';
import { type TestSite, testSite } from '../testing/site.ts';
import {
  type Acts,
  actedInPeriod,
  actedInSents,
  actedOnThematics,
  type Period,
  receivedSents,
  receivedTimes,
  type Times,
} from './activity-selection.ts';
import { foldActivity } from './fold-store.ts';
import { hitKinds } from './hit.ts';
import { hitClasses } from './hit-class.ts';

const { open, editorial, mirror, advertisement } = hitKinds;
const { mpp, scanner } = hitClasses;
const day = (n: number) => new Date(Date.UTC(2026, 10, n, 12));
const days = (from: number, to: number): Period => ({ from: day(from), to: day(to) });
const always = days(1, 30);
const times = (min: number, max: number | null = null): Times => ({ min, max });
const everybody = [1, 2, 3, 4, 5, 6, 7, 8];

describe.each([
  ['is not folded yet', { early: false, late: false }],
  ['is folded', { early: true, late: true }],
  ['is folded in part', { early: true, late: false }],
])('conditions by activity that %s', (_, folded) => {
  let site: TestSite;
  let db: SiteDb;
  // Two sendings of one job, one of another campaign, and a test mailing.
  let first: number;
  let second: number;
  let other: number;
  let test: number;

  beforeAll(async () => {
    site = await testSite();
    db = site.db;
    await db.run(sql`
      insert into ${db.t.subscriber} (fld0, fld1) select i, 's' || i || '@example.org' from generate_series(1, 8) i`);
    const news = await makeJob(db, { type: 'Newsletter', sents: 2 });
    const rent = await makeJob(db, { type: 'Rent' });
    const bat = await makeJob(db, { isTest: true, idCampaign: news.idCampaign });
    [first, second] = [news.idsSent[0]!, news.idsSent[1]!];
    [other] = [rent.idsSent[0]!];
    [test] = [bat.idsSent[0]!];
    await db.run(sql`
      update ${db.t.campaign} set parameters = parameters || '{"idThematic": 3}' where id = ${news.idCampaign}`);
    await db.run(sql`
      insert into ${db.t.tracked_link} (id, id_campaign, url, parsed_url, origin, parameters, created_at)
        overriding system value
      select id, ${news.idCampaign}::int, 'https://a.example/' || id, '', 'campaign',
        json_build_object('idThematic', nullif(id - 7, 0)), now()
      from generate_series(7, 8) id`);
    await makeAdvertisementLink(db, 9, [2]);
    const hits = [
      makeHit(first, 1, open, { at: day(10) }),
      makeHit(first, 1, open, { at: day(12), isViral: true }),
      makeHit(first, 2, open, { at: day(10), class: mpp }),
      // No pixel: opened once, at the first of the clicks.
      makeHit(first, 3, editorial, { at: day(14), idLink: 8 }),
      makeHit(first, 3, mirror, { at: day(11), idLink: 8, isViral: true }),
      // The pixel that comes later than the click is the only open.
      makeHit(second, 4, advertisement, { at: day(10), idLink: 9 }),
      makeHit(second, 4, open, { at: day(15), class: scanner }),
      // Without the machine's pixel, the click implies the open.
      makeHit(other, 5, open, { at: day(10), class: mpp }),
      makeHit(other, 5, editorial, { at: day(13), class: mpp }),
      makeHit(test, 6, open, { at: day(10) }),
      makeHit(test, 6, editorial, { at: day(10), idLink: 8 }),
      makeHit(other, 1, open, { at: day(20) }),
    ];
    await makeHits(db, hits.slice(0, 6));
    if (folded.early) await foldActivity(db);
    await makeHits(db, hits.slice(6));
    await makeReceipts(db, news.idJob, first, { accepted: [1, 2, 3], refused: [4], at: day(10) });
    await makeOpenRange(db, news.idJob, second, { subscribers: [4, 5], accepted: [4], at: day(11) });
    // One row of receipts, of two days.
    const at = (id: number) => day(id === 1 ? 12 : 13);
    await makeReceipts(db, rent.idJob, other, { accepted: [1, 5], at });
    if (folded.late) await foldActivity(db);
    await makeReceipts(db, bat.idJob, test, { accepted: [6], at: day(12) });
  });
  afterAll(() => site.close());

  async function idsOf(condition: Sql): Promise<number[]> {
    const rows = await db.rows<{ fld0: number; no: boolean }>(sql`
      select fld0, not (${condition}) as no from ${db.t.subscriber} order by fld0`);
    expect(rows.filter((row) => row.no === null)).toEqual([]);
    return rows.filter((row) => !row.no).map((row) => row.fld0);
  }
  const but = (...ids: number[]) => everybody.filter((id) => !ids.includes(id));

  const opens: Acts = { action: 'Open', withoutMpp: false };
  const humanOpens: Acts = { action: 'Open', withoutMpp: true };
  const clicks: Acts = { action: 'Click', withoutMpp: false };

  it.each<[Acts, Period, Times, number[]]>([
    [opens, always, times(1), [1, 2, 3, 4, 5]],
    [opens, always, times(0, 0), [6, 7, 8]],
    [opens, always, times(2), [1]],
    [opens, always, times(3, 3), [1]],
    [opens, always, times(0, 2), but(1)],
    [opens, always, times(1, 2), [2, 3, 4, 5]],
    [opens, always, times(0), everybody],
    [opens, days(10, 11), times(1), [1, 2, 5]],
    [opens, days(11, 12), times(1), [3]],
    [opens, days(14, 15), times(1), []],
    [opens, days(15, 16), times(1), [4]],
    [humanOpens, always, times(1), [1, 3, 4, 5]],
    [humanOpens, days(13, 14), times(1), [5]],
    [humanOpens, days(10, 11), times(1), [1]],
    [clicks, always, times(1), [3, 4, 5]],
    [clicks, always, times(2), [3]],
    [{ action: 'Click', withoutMpp: true }, always, times(1), [3, 4, 5]],
    [clicks, always, times(0, 0), but(3, 4, 5)],
  ])('actedInPeriod %j %j %j', async (acts, period, often, expected) => {
    expect(await idsOf(actedInPeriod(db.t, { ...acts, period }, often))).toEqual(expected);
  });

  it.each<[Acts, () => number[][], Times, number[]]>([
    [opens, () => [[first]], times(1), [1, 2, 3]],
    [opens, () => [[first, other]], times(3), [1]],
    [opens, () => [[first], [other]], times(1), [1]],
    [opens, () => [[first], [other]], times(2), []],
    [opens, () => [[first], [other]], times(0, 1), but(1)],
    [opens, () => [[test]], times(1), []],
    [opens, () => [[test]], times(0, 0), everybody],
    [opens, () => [[]], times(1), []],
    [humanOpens, () => [[other]], times(1), [1, 5]],
    [clicks, () => [[first, second]], times(1), [3, 4]],
  ])('actedInSents %j %s %j', async (acts, groups, often, expected) => {
    expect(await idsOf(actedInSents(db.t, { ...acts, groups: groups() }, often))).toEqual(expected);
  });

  it.each<[Acts, Period, number[][], Times, number[]]>([
    [opens, always, [[3]], times(1), [1, 2, 3, 4]],
    [humanOpens, always, [[3]], times(2), [1]],
    [opens, always, [[3, 4]], times(0, 0), but(1, 2, 3, 4)],
    [opens, days(10, 11), [[3]], times(1), [1, 2]],
    [opens, always, [[3], [4]], times(1), []],
    [clicks, always, [[1]], times(1), [3]],
    [clicks, always, [[1]], times(2), [3]],
    [clicks, days(12, 15), [[1]], times(2), []],
    [clicks, always, [[1, 2]], times(1), [3, 4]],
    [clicks, always, [[1], [2]], times(1), []],
    [clicks, always, [[3]], times(1), []],
  ])('actedOnThematics %j %j %j %j', async (acts, period, groups, often, expected) => {
    expect(await idsOf(actedOnThematics(db.t, { ...acts, period, groups }, often))).toEqual(expected);
  });

  it.each<[() => number[][], number[]]>([
    [() => [[first]], [1, 2, 3]],
    [() => [[second]], [4]],
    [() => [[first, second]], [1, 2, 3, 4]],
    [() => [[first], [other]], [1]],
    [() => [[test]], []],
    [() => [[]], []],
  ])('receivedSents %s', async (groups, expected) => {
    expect(await idsOf(receivedSents(db.t, groups()))).toEqual(expected);
  });

  it.each<[Period[], string[] | null, Times, number[]]>([
    [[always], null, times(1), [1, 2, 3, 4, 5]],
    [[always], null, times(2), [1]],
    [[always], null, times(0, 0), [6, 7, 8]],
    [[always], null, times(0, 1), but(1)],
    [[days(11, 12)], null, times(1), [4]],
    [[days(10, 11), days(12, 13)], null, times(2, 2), [1]],
    [[days(10, 11), days(12, 13)], null, times(1), [1, 2, 3]],
    [[days(13, 14)], null, times(1), [5]],
    [[], null, times(1), []],
    [[always], ['Rent'], times(1), [1, 5]],
    [[always], ['Rent', 'Newsletter'], times(2), [1]],
    [[always], ['Transac'], times(0, 0), everybody],
  ])('receivedTimes %j %j %j', async (periods, campaignTypes, often, expected) => {
    expect(await idsOf(receivedTimes(db.t, { periods, campaignTypes }, often))).toEqual(expected);
  });
});
