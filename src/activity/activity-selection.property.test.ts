import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SiteDb } from '../platform/db/site-db.ts';
import { join, raw, type Sql, sql } from '../platform/db/sql.ts';
import { makeHit, makeHits } from '../testing/make-activity.ts';
import { makeAdvertisementLink } from '../testing/make-advertisement.ts';
import { makeJob, makeOpenRange, makeReceipts } from '../testing/make-sent.ts';
import * as plain from '../testing/plain-selection.ts';
import { type TestSite, testSite } from '../testing/site.ts';
import * as selection from './activity-selection.ts';
import { countersOfSents } from './counter-store.ts';
import { foldActivity } from './fold-store.ts';
import { hitKinds } from './hit.ts';
import { hitClasses } from './hit-class.ts';

type Of<A> = A extends fc.Arbitrary<infer T> ? T : never;

/** Few, so that much happens to each. */
const subscribers = 4;
/** Few instants, near the ends of days and months, so that much happens at the same one. */
const instants = [
  '09-14T10:00',
  '09-30T21:59',
  '09-30T22:00',
  '10-12T08:00',
  '10-25T00:30',
  '10-31T22:59',
  '10-31T23:00',
  '11-19T22:59',
  '11-19T23:00',
  '11-20T10:00',
].map((text) => new Date(`2026-${text}Z`));
const instant = fc.constantFrom(...instants);
const subscriber = fc.integer({ min: 1, max: subscribers });
/** Sendings 0 and 1 belong to one campaign, 2 to another, 3 is a test mailing. */
const sent = fc.nat(3);

const happening = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      what: fc.constant('hit' as const),
      sent,
      subscriber,
      at: instant,
      kind: fc.constantFrom(hitKinds.open, hitKinds.open, hitKinds.editorial, hitKinds.mirror),
      class: fc.constantFrom(hitClasses.human, hitClasses.mpp, hitClasses.mpp, hitClasses.scanner),
      idLink: fc.constantFrom(7, 8, 9),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('fold' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constantFrom('receipts' as const, 'open range' as const),
      sent,
      subscribers: fc.uniqueArray(subscriber, { minLength: 1, maxLength: 3 }),
      at: instant,
    }),
  },
);

/** Ends before the last instant, where a second period begins. */
const always = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2026-11-20T09:00:00Z') };
const period = fc.oneof(
  fc.constant(always),
  fc.tuple(instant, instant).map(([a, b]) => (a < b ? { from: a, to: b } : { from: b, to: a })),
);
const times = fc.oneof(
  fc.record({ min: fc.nat(3), max: fc.constant(null) }),
  fc.tuple(fc.nat(3), fc.nat(3)).map(([a, b]) => ({ min: Math.min(a, b), max: Math.max(a, b) })),
);
const asked = fc.record({
  action: fc.constantFrom('Open' as const, 'Click' as const),
  withoutMpp: fc.boolean(),
  period,
  times,
  sents: fc.array(fc.uniqueArray(sent, { maxLength: 3 }), { minLength: 1, maxLength: 2 }),
  thematics: fc.uniqueArray(fc.constantFrom(1, 2, 3), { minLength: 1 }),
  types: fc.constantFrom(null, ['Rent'], ['Rent', 'Newsletter']),
});

describe('conditions over sums and what is not folded', () => {
  let site: TestSite;
  let db: SiteDb;
  let sents: number[];
  let jobs: number[];
  beforeAll(async () => {
    site = await testSite();
    db = site.db;
    await db.run(sql`
      insert into ${db.t.subscriber} (fld0, fld1)
      select i, 's' || i || '@example.org' from generate_series(1, ${subscribers}::int) i`);
    const news = await makeJob(db, { type: 'Newsletter', sents: 2 });
    const rent = await makeJob(db, { type: 'Rent' });
    const bat = await makeJob(db, { isTest: true, idCampaign: news.idCampaign });
    sents = [...news.idsSent, ...rent.idsSent, ...bat.idsSent];
    jobs = [news.idJob, news.idJob, rent.idJob, bat.idJob];
    await db.run(sql`
      update ${db.t.campaign} set parameters = parameters || '{"idThematic": 3}' where id = ${news.idCampaign}`);
    await db.run(sql`
      insert into ${db.t.tracked_link} (id, id_campaign, url, parsed_url, origin, parameters, created_at)
        overriding system value
      select id, ${news.idCampaign}::int, 'https://a.example/' || id, '', 'campaign',
        json_build_object('idThematic', nullif(id - 7, 0)), now()
      from generate_series(7, 8) id`);
    await makeAdvertisementLink(db, 9, [2]);
  });
  afterAll(() => site.close());

  async function empty(): Promise<void> {
    const { t } = db;
    await db.run(sql`truncate ${t.hit_batch}, ${t.hit_folded}, ${t.receipt_range}, ${t.recipient_range},
      ${t.send_log}, ${t.act_by_day}, ${t.act_by_sent}, ${t.received_by_day}, ${t.sent_counter}`);
  }

  /** Makes it happen; nobody receives a sent twice. */
  async function happen(all: readonly Of<typeof happening>[]): Promise<void> {
    const received = new Set<string>();
    for (const one of all) {
      if (one.what === 'fold') await foldActivity(db);
      else if (one.what === 'hit') await hit(one);
      else await handOver(one, received);
    }
  }

  async function hit(of: Extract<Of<typeof happening>, { what: 'hit' }>): Promise<void> {
    const idLink = of.kind === hitKinds.open ? null : of.idLink;
    await makeHits(db, [
      makeHit(sents[of.sent]!, of.subscriber, of.kind, { at: of.at, class: of.class, idLink }),
    ]);
  }

  async function handOver(
    of: Extract<Of<typeof happening>, { subscribers: number[] }>,
    received: Set<string>,
  ): Promise<void> {
    const fresh = of.subscribers.filter((id) => !received.has(`${of.sent} ${id}`));
    for (const id of fresh) received.add(`${of.sent} ${id}`);
    const make = of.what === 'receipts' ? makeReceipts : makeOpenRange;
    const accepted = { subscribers: fresh, accepted: fresh, at: of.at };
    if (fresh.length > 0) await make(db, jobs[of.sent]!, sents[of.sent]!, accepted);
  }

  type Selection = Pick<typeof selection, keyof typeof plain>;

  function conditions(by: Selection, ask: Of<typeof asked>): Sql[] {
    const { t } = db;
    const groups = ask.sents.map((group) => group.map((one) => sents[one]!));
    const periods = [ask.period, { from: instants.at(-1)!, to: new Date('2026-12-24T00:00:00Z') }];
    return [
      by.actedInPeriod(t, ask, ask.times),
      by.actedInSents(t, { ...ask, groups }, ask.times),
      by.actedOnThematics(t, { ...ask, groups: ask.thematics.map((one) => [one]) }, ask.times),
      by.receivedSents(t, groups),
      by.receivedTimes(t, { periods, campaignTypes: ask.types }, ask.times),
    ];
  }

  const select = (all: readonly Sql[]) => {
    const columns = all.map((condition, i) => sql`(${condition}) as ${raw(`c${i}`)}`);
    return db.rows(sql`select fld0, ${join(columns)} from ${db.t.subscriber} order by fld0`);
  };

  it('select the same subscribers as plain conditions over raw facts, whatever was aggregated when', async () => {
    const run = fc.asyncProperty(
      fc.array(happening, { minLength: 1, maxLength: 30, size: 'max' }),
      fc.array(asked, { minLength: 5, maxLength: 5 }),
      async (all, asks) => {
        await empty();
        await happen(all);
        for (const ask of asks) {
          expect(await select(conditions(selection, ask))).toEqual(await select(conditions(plain, ask)));
        }
        const before = await countersOfSents(db, sents);
        while ((await foldActivity(db)).hits > 0);
        expect(await countersOfSents(db, sents)).toEqual(before);
      },
    );
    await fc.assert(run, { numRuns: 25 });
  });
});
