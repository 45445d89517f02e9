import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SiteDb } from '../platform/db/site-db.ts';
import { join, raw, type Sql, sql } from '../platform/db/sql.ts';
import {
  actsOf,
  campaignOf,
  type ModelHit,
  type ModelReception,
  type ModelSite,
  receptionsOf,
  type Selects,
  thematicOf,
} from '../testing/activity-model.ts';
import { makeHit, makeHits } from '../testing/make-activity.ts';
import { makeAdvertisementLink } from '../testing/make-advertisement.ts';
import { makeJob, makeOpenRange, makeReceipts } from '../testing/make-sent.ts';
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
  let model: Omit<ModelSite, 'hits' | 'receptions'> & { hits: ModelHit[]; receptions: ModelReception[] };
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
    model = {
      fields: new Map(),
      subscribers: [],
      thematics: [1, 2, 3],
      campaigns: [
        { idCampaign: news.idCampaign, type: 'Newsletter', idThematic: 3 },
        { idCampaign: rent.idCampaign, type: 'Rent', idThematic: null },
      ],
      sents: [news, news, rent, bat].map(({ idCampaign, idJob }, i) => ({
        ...{ idSent: sents[i]!, idJob, idCampaign },
        isTest: i === 3,
      })),
      links: [7, 8, 9].map((idLink) => ({ idLink, idThematic: [null, 1, 2][idLink - 7]! })),
      hits: [],
      receptions: [],
    };
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
    Object.assign(model, { hits: [], receptions: [] });
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
    const [idSent, idSubscriber] = [sents[of.sent]!, of.subscriber];
    await makeHits(db, [makeHit(idSent, idSubscriber, of.kind, { at: of.at, class: of.class, idLink })]);
    const isPixel = of.kind === hitKinds.open;
    model.hits.push({ idSent, idSubscriber, isPixel, isMpp: of.class === hitClasses.mpp, idLink, at: of.at });
  }

  async function handOver(
    of: Extract<Of<typeof happening>, { subscribers: number[] }>,
    received: Set<string>,
  ): Promise<void> {
    const fresh = of.subscribers.filter((id) => !received.has(`${of.sent} ${id}`));
    for (const id of fresh) received.add(`${of.sent} ${id}`);
    const make = of.what === 'receipts' ? makeReceipts : makeOpenRange;
    const accepted = { subscribers: fresh, accepted: fresh, at: of.at };
    const idSent = sents[of.sent]!;
    if (fresh.length > 0) await make(db, jobs[of.sent]!, idSent, accepted);
    for (const idSubscriber of fresh)
      model.receptions.push({ idSent, idSubscriber, isAccepted: true, at: of.at });
  }

  const groupsOf = (ask: Of<typeof asked>) => ask.sents.map((group) => group.map((one) => sents[one]!));
  const periodsOf = (ask: Of<typeof asked>) => [
    ask.period,
    { from: instants.at(-1)!, to: new Date('2026-12-24T00:00:00Z') },
  ];

  function conditions(ask: Of<typeof asked>): Sql[] {
    const { t } = db;
    const groups = groupsOf(ask);
    return [
      selection.actedInPeriod(t, ask, ask.times),
      selection.actedInSents(t, { ...ask, groups }, ask.times),
      selection.actedOnThematics(t, { ...ask, groups: ask.thematics.map((one) => [one]) }, ask.times),
      selection.receivedSents(t, groups),
      selection.receivedTimes(t, { periods: periodsOf(ask), campaignTypes: ask.types }, ask.times),
    ];
  }

  /** The same conditions by the model. */
  function modelled(ask: Of<typeof asked>): Selects[] {
    const act = { action: ask.action, filterMpp: ask.withoutMpp };
    const acts = (id: number) => actsOf(act, model, id);
    const inPeriod = (id: number) => acts(id).filter(({ at }) => at >= ask.period.from && at < ask.period.to);
    const isSo = ({ length }: readonly unknown[]) =>
      length >= ask.times.min && length <= (ask.times.max ?? Number.POSITIVE_INFINITY);
    const counts = ({ idSent, at }: ModelReception) =>
      ((ask.types as readonly string[] | null)?.includes(campaignOf(model, idSent)!.type) ?? true) &&
      periodsOf(ask).some(({ from, to }) => at >= from && at < to);
    const inEach = (isIn: (group: readonly number[]) => boolean) => groupsOf(ask).every(isIn);
    return [
      (id) => isSo(inPeriod(id)),
      (id) => inEach((group) => isSo(acts(id).filter(({ idSent }) => group.includes(idSent)))),
      (id) =>
        ask.thematics.every((one) => isSo(inPeriod(id).filter((it) => thematicOf(act, model, it) === one))),
      (id) => inEach((group) => receptionsOf(model, id).some(({ idSent }) => group.includes(idSent))),
      (id) => isSo(receptionsOf(model, id).filter(counts)),
    ];
  }

  const select = (all: readonly Sql[]) => {
    const columns = all.map((condition, i) => sql`(${condition}) as ${raw(`c${i}`)}`);
    return db.rows(sql`select fld0, ${join(columns)} from ${db.t.subscriber} order by fld0`);
  };
  const choose = (all: readonly Selects[]) =>
    Array.from({ length: subscribers }, (_, i) => ({
      fld0: i + 1,
      ...Object.fromEntries(all.map((selects, n) => [`c${n}`, selects(i + 1)])),
    }));

  it('select the same subscribers as the model over raw facts, whatever was aggregated when', async () => {
    const run = fc.asyncProperty(
      fc.array(happening, { minLength: 1, maxLength: 30, size: 'max' }),
      fc.array(asked, { minLength: 5, maxLength: 5 }),
      async (all, asks) => {
        await empty();
        await happen(all);
        for (const ask of asks) {
          expect(await select(conditions(ask))).toEqual(choose(modelled(ask)));
        }
        const before = await countersOfSents(db, sents);
        while ((await foldActivity(db)).hits > 0);
        expect(await countersOfSents(db, sents)).toEqual(before);
      },
    );
    await fc.assert(run, { numRuns: 25 });
  });
});
