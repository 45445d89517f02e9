import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countersOfSents } from './activity/counter-store.ts';
import { foldActivity } from './activity/fold-store.ts';
import { hitKinds } from './activity/hit.ts';
import { readChanges, readMark } from './events/change-store.ts';
import { openStates } from './imports/import-state.ts';
import type { SiteDb } from './platform/db/site-db.ts';
import { type Sql, sql } from './platform/db/sql.ts';
import { liveStates } from './sending/job.ts';
import { readJobEvents } from './statistics/job-event-store.ts';
import { countersOfJobs, listJobRecords } from './statistics/job-list.ts';
import { realJobsOf } from './statistics/job-row-store.ts';
import { peopleBehind } from './statistics/people.ts';
import { sumServerReplies } from './statistics/replies.ts';
import { readTargetSet } from './targets/selection.ts';
import { type TestApp, testApp } from './testing/app.ts';
import { makeHit, makeHits } from './testing/make-activity.ts';
import { makeJob } from './testing/make-sent.ts';
import { scannedTables } from './testing/scanned-tables.ts';
import { storeTargets } from './testing/store-targets.ts';

/** A year of sendings, every third day one, to 2,000 people; what one question is about is a small part of it. */
const sents = 120;
const people = 2_000;

let t: TestApp;
let ids: { idCampaign: number; idJob: number; idsSent: readonly number[] }[];
beforeAll(async () => {
  t = await testApp({ operations: [] });
  await t.db.run(sql`
    insert into ${t.db.t.subscriber} (fld0, fld1)
    select i, 's' || i || '@example.org' from generate_series(1, ${people}::int) i`);
  ids = [];
  for (let sent = 0; sent < sents; sent++) {
    const startedAt = new Date(t.clock.now().getTime() - (1 + 3 * (sents - sent)) * 86_400_000);
    ids.push(await makeJob(t.db, { startedAt, campaignName: `News ${sent}` }));
  }
  await makeFacts(t.db);
  for (let folded = 1; folded > 0; ) {
    const { hits, receipts } = await foldActivity(t.db);
    folded = hits + receipts;
  }
  await t.db.run(sql`analyze`);
});
afterAll(() => t.close());

/** 20 ranges a sending, and of each sending 400 hits, 40 bounces and 20 unsubscriptions. */
async function makeFacts(db: SiteDb): Promise<void> {
  const { t: tables } = db;
  const people100 = sql`array(select generate_series(first, first + 99))`;
  const firsts = sql`${tables.sent} s cross join generate_series(1, ${people}::int, 100) first`;
  const all = (value: Sql) => sql`array_fill(${value}, array[100])`;
  await db.run(sql`
    insert into ${tables.recipient_range} (id_job, number, id_sent, subscribers, is_done, nb_accepted)
    select s.id_job, 1 + first / 100, s.id, ${people100}, true, 100 from ${firsts}`);
  await db.run(sql`
    insert into ${tables.receipt_range} (id_sent, first_subscriber, last_subscriber, subscribers, states, codes,
      id_providers, first_at, last_at, delays)
    select s.id, first, first + 99, ${people100}, ${all(sql`1::smallint`)}, ${all(sql`250::smallint`)},
      ${all(sql`0`)}, s.started_at, s.started_at, ${all(sql`0`)}
    from ${firsts}`);
  for (const [i, { idsSent }] of ids.entries()) {
    const idSent = idsSent[0]!;
    const startedAt = t.clock.now().getTime() - (1 + 3 * (sents - i)) * 86_400_000;
    const hits = Array.from({ length: 400 }, (_, n) =>
      makeHit(idSent, 1 + ((n * 7) % people), n % 2 === 0 ? hitKinds.open : hitKinds.editorial, {
        at: new Date(startedAt + n * 60_000),
        idLink: n % 2 === 0 ? null : 7 + idSent,
      }),
    );
    await makeHits(db, hits);
  }
  await db.run(sql`
    insert into ${tables.tracked_link} (id, id_campaign, url, parsed_url, origin, parameters, created_at)
      overriding system value
    select 7 + s.id, j.id_campaign, 'https://a.example/' || s.id, '', 'campaign',
      json_build_object('idThematic', 1 + s.id % 30), now()
    from ${tables.sent} s join ${tables.job} j on j.id = s.id_job`);
  await db.run(sql`insert into ${tables.thematic} (name) select 'T' || n from generate_series(1, 30) n`);
  await db.run(sql`
    update ${tables.campaign} set parameters = parameters || jsonb_build_object('idThematic', 1 + id % 30)`);
  await db.run(sql`
    insert into ${tables.bounce} (id_sent, id_subscriber, class, at, digest)
    select s.id, n, 1, s.started_at, sha256(convert_to(s.id || ' ' || n, 'UTF8'))
    from ${tables.sent} s cross join generate_series(1, 40) n`);
  await db.run(sql`
    insert into ${tables.unsubscription} (id_sent, id_subscriber, at, origin)
    select s.id, n, s.started_at, 'page' from ${tables.sent} s cross join generate_series(1, 20) n`);
}

/**
 * Tables of facts and sums. Not `hit_new`, which has no index on purpose and holds what came in the last seconds, and
 * not `sent_counter`, a row for each sending.
 */
const facts =
  /^(hit_\d{4}_\d\d|(receipt|recipient)_range|send_log|bounce|unsubscription|act_by_(day|sent)|received_by_day)$/;

/** The tables of facts of which `work` reads all rows. */
const scannedBy = async (work: (tx: SiteDb) => Promise<unknown>): Promise<string[]> =>
  (await scannedTables(t.db, work)).filter((name) => facts.test(name));

const always = { from: new Date('2020-01-01T00:00:00Z'), to: new Date('2030-01-01T00:00:00Z') };

describe('no question about a part of the facts reads all of them', () => {
  it('a plain condition does, so the count would show it', async () => {
    const scanned = await scannedBy((tx) =>
      tx.rows(sql`
        select from ${tx.t.subscriber}
        where fld0 in (select id_subscriber from ${tx.t.hit} where at >= ${always.from} and at < ${always.to})`),
    );
    expect(scanned.filter((name) => name.startsWith('hit_')).length).toBeGreaterThan(10);
    expect(await scannedBy((tx) => tx.rows(sql`select * from ${tx.t.receipt_range}`))).toEqual([
      'receipt_range',
    ]);
  });

  const acts = { action: 'Open', filterMpp: true };
  const named = (n: number) => ids.slice(60, 60 + n);
  const sentList = () =>
    named(3)
      .map(({ idsSent }) => idsSent[0])
      .join(';');
  const campaigns = (from: number) =>
    ids
      .slice(from, from + 3)
      .map(({ idCampaign }) => idCampaign)
      .join(';');
  it.each<[string, string, () => Record<string, unknown>]>([
    ['opens of the last 30 days', 'behaviour', () => ({ ...acts, behaviourType: 'NbDays', nbDaysAgo: 30 })],
    [
      'clicks of the last 180 days',
      'behaviour',
      () => ({ action: 'Click', behaviourType: 'NbDays', nbDaysAgo: 180 }),
    ],
    ['opens of three sents', 'behaviour', () => ({ ...acts, behaviourType: 'Sent', idSentList: sentList() })],
    [
      'opens of each of two campaigns',
      'behaviour',
      () => ({
        ...acts,
        behaviourType: 'Campaign',
        idCampaign: [ids[60]!, ids[61]!].map(({ idCampaign }) => idCampaign).join(';'),
        combinaisonMode: 'Intersection',
      }),
    ],
    ['opens of a thematic', 'thematic', () => ({ ...acts, fromNbDays: 90, idsThematics: [3] })],
    ['clicks on a thematic', 'thematic', () => ({ action: 'Click', fromNbDays: 90, idsThematics: [3] })],
    ['three sents', 'sending', () => ({ hasReceived: true, idSentList: sentList() })],
    ['one of three campaigns', 'sending', () => ({ hasReceived: true, idsCampaigns: campaigns(110) })],
    [
      'fewer than 12 in 30 days',
      'emailPressure',
      () => ({
        operatorRequest: 'LOWER',
        nbRequest: 12,
        type: 'Since',
        fromTime: 30,
        timeType: 2,
      }),
    ],
    [
      'in the last 100 hours',
      'emailPressure',
      () => ({
        operatorRequest: 'GREATER',
        nbRequest: 0,
        type: 'Since',
        fromTime: 100,
        timeType: 1,
      }),
    ],
    [
      'in certain weeks, of a type',
      'emailPressure',
      () => ({
        operatorRequest: 'GREATER_EQUAL',
        nbRequest: 2,
        type: 'ByWeek',
        lastWeek: true,
        threeWeeksAgo: true,
        campaignType: 'Newsletter',
      }),
    ],
  ])('a target by %s (%s)', async (_, kind, definition) => {
    const whole = { pctSelect: 100, maxSelect: null, isRandomMode: false, excluded: [] };
    const filters = [{ kind, isEnabled: true, definition: definition() }];
    const [idTarget] = await storeTargets(t, [{ ...whole, filters }], t.clock.now());
    let found = 0;
    const scanned = await scannedBy((tx) =>
      readTargetSet({ app: t.app, db: tx, idTarget: idTarget!, at: t.clock.now() }, async (inside, set) => {
        found = (await inside.rows(sql`select from (${set}) s`)).length;
      }),
    );
    expect(scanned).toEqual([]);
    expect(found).toBeGreaterThan(0);
  });

  it('counters of sendings, a campaign’s statistics, and pages of the list of jobs in any order', async () => {
    const sent = ids[50]!.idsSent;
    expect(await scannedBy((tx) => countersOfSents(tx, sent))).toEqual([]);
    const statistics = async (tx: SiteDb) => countersOfJobs(tx, await realJobsOf(tx, ids[50]!.idCampaign));
    expect(await scannedBy(statistics)).toEqual([]);
    const span = { from: new Date('2026-10-01T00:00:00Z'), to: new Date('2026-10-31T00:00:00Z') };
    const firstPage = { start: 0, limit: 5 };
    const month = { span, hasTests: false };
    for (const sortBy of ['id_job', 'startDate', 'nbOpeners', 'nbHardBounces'] as const) {
      const page = (tx: SiteDb) => listJobRecords(tx, month, { sortBy, isDescending: true, ...firstPage });
      expect(await scannedBy(page)).toEqual([]);
      expect(await page(t.db)).toHaveLength(5);
    }
    const lastOfTwo = { idsCampaign: [ids[3]!, ids[50]!].map((one) => one.idCampaign), isLast: true };
    const last = (tx: SiteDb) =>
      listJobRecords(
        tx,
        { ...lastOfTwo, hasTests: false },
        { sortBy: 'id_job', isDescending: false, ...firstPage },
      );
    expect(await scannedBy(last)).toEqual([]);
    expect((await last(t.db)).map(({ idJob }) => idJob)).toEqual([ids[3]!.idJob, ids[50]!.idJob]);
  });

  it('events of a job, replies to a sending, and a page of its delivered people', async () => {
    const { idJob, idsSent } = ids[50]!;
    const idSent = idsSent[0]!;
    expect(await scannedBy((tx) => readJobEvents(tx, idJob, t.clock.now()))).toEqual([]);
    expect(await scannedBy((tx) => sumServerReplies(tx, idSent))).toEqual([]);
    expect(await sumServerReplies(t.db, idSent)).toMatchObject([{ reply: 'none', nbPeople: 40 }]);
    const delivered = { idSent, figure: 'nbDelivered', idLink: 0, after: 0, most: 100 } as const;
    expect(await scannedBy((tx) => peopleBehind(tx, delivered))).toEqual([]);
    expect((await peopleBehind(t.db, delivered)).map((one) => one.idSubscriber)).toEqual(
      Array.from({ length: 100 }, (_, index) => 41 + index),
    );
  });

  it('a reading of an event stream, which finds open records by index', async () => {
    const { t: tables } = t.db;
    await t.db.run(sql`
      insert into ${tables.job} (id_campaign, is_test, state, author, campaign_name, subject, sender_domain, created_at,
        scheduled_at, nb_segments, nb_links, nb_pub_insert)
      select id_campaign, is_test, state, author, campaign_name, subject, sender_domain, created_at, scheduled_at,
        1, 0, 0
      from ${tables.job} cross join generate_series(1, 40)`);
    await t.db.run(sql`update ${tables.job} set state = 'Paused' where id = ${ids[20]!.idJob}`);
    await t.db.run(sql`analyze ${tables.job}`);
    const { newest } = await readMark(t.db);
    const complete = await readChanges(t.db, { since: undefined });
    // The reports are about people whose acceptance is not logged.
    expect(complete).toMatchObject([
      { id: ids[20]!.idJob, isOpen: true, data: { nbAddressSent: people + 40 } },
    ]);
    const jobsRead = (work: (tx: SiteDb) => Promise<unknown>) =>
      t.db.transaction(async (tx) => {
        const count = () =>
          tx.value<number>(sql`
            select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int from pg_stat_xact_user_tables
            where schemaname = ${tx.site.schema} and relname = 'job'`);
        const before = await count();
        await work(tx);
        return (await count()) - before;
      });
    const usual = async (tx: SiteDb) => {
      await readMark(tx);
      expect(await readChanges(tx, { known: complete, newest })).toEqual(complete);
    };
    expect(await scannedBy(usual)).toEqual([]);
    expect(await jobsRead(usual)).toBeLessThan(10);
    // A complete one reads all jobs, so the count would show it.
    expect(await jobsRead((tx) => readChanges(tx, { since: 0 }))).toBeGreaterThan(900);
    for (const [table, states] of [
      ['job', liveStates],
      ['import', openStates],
    ] as const) {
      const condition = await t.db.value<string>(sql`
        select pg_get_expr(indpred, indrelid) from pg_index
        where indexrelid = (${`${t.db.site.schema}.${table}_open`})::regclass`);
      expect(
        condition
          .match(/'\w+'/g)
          ?.map((state) => state.slice(1, -1))
          .sort(),
      ).toEqual([...states].sort());
    }
  });
});
