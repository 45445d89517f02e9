import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BounceClass, bounceClasses } from '../activity/bounce.ts';
import { countersOfSents } from '../activity/counter-store.ts';
import { type Counters, noCounters, sumCounters } from '../activity/counters.ts';
import { foldActivity } from '../activity/fold-store.ts';
import { markRefused } from '../activity/mark-refused.ts';
import { receiptStates } from '../activity/receipt.ts';
import { rebuildSums } from '../activity/reclassify-store.ts';
import { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { closeRange } from '../sending/engine/finish.ts';
import { GroupCommit } from '../sending/engine/group-commit.ts';
import { readLog, takeRanges } from '../sending/engine/lease.ts';
import { type OutcomeState, outcomes, standardRetry } from '../sending/engine/outcomes.ts';
import { RangeRun } from '../sending/engine/range-run.ts';
import { dumpSums } from '../testing/activity-sums.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { type MadeJob, makeJob } from '../testing/make-sent.ts';
import { recordReport } from './record-report.ts';
import type { Report } from './report.ts';

/** The fates of a recipient. For a nonexistent mailbox the relay rejects RCPT, before any message is handed over. */
const fates = ['accepted', 'refused', 'deadMailbox', 'expired', 'uncertain', 'cancelled', 'untried'] as const;
type Fate = (typeof fates)[number];

/** The phases of a range, in order: before, hand-over, replies, closing, after. */
const phases = { before: 0, handOver: 1, answers: 2, closing: 3, after: 4 } as const;
const moments = [undefined, ...Object.values(phases)] as const;
/** Every fate meets a report at every moment, in every run. */
const everybody = fates.flatMap((fate) => moments.map((moment) => ({ fate, moment })));
const rangesOfSent = 4;
const sentsOfRun = 3;
const longestLag = 2;

const anyClass = fc.constantFrom(...Object.values(bounceClasses));
const anyPerson = fc.record({
  place: fc.nat(),
  first: anyClass,
  second: fc.option(fc.record({ class: anyClass, moment: fc.constantFrom(...Object.values(phases)) })),
  /** The process that records their first report dies before its commit; the mail system brings it again. */
  isKilled: fc.boolean(),
  /** The first report is delivered twice. */
  isRepeated: fc.boolean(),
});
const anyRange = fc.record({
  /** Steps that it is behind the first ones. */
  lag: fc.nat(longestLag),
  /** Whether its holder is killed between intents and outcomes. */
  isKilled: fc.boolean(),
});
const exactly = <T>(one: fc.Arbitrary<T>, n: number) => fc.array(one, { minLength: n, maxLength: n });
const steps = Object.keys(phases).length + longestLag;
const anyRun = fc.record({
  people: exactly(anyPerson, everybody.length * sentsOfRun),
  ranges: exactly(anyRange, rangesOfSent * sentsOfRun),
  folds: exactly(fc.boolean(), steps),
  rebuilds: exactly(fc.boolean(), steps),
});
type Draw = typeof anyRun extends fc.Arbitrary<infer T> ? T : never;

interface ReportToCome {
  readonly moment: number;
  readonly class: BounceClass;
  readonly messageId: string;
  readonly isKilled: boolean;
  readonly isRepeated: boolean;
}

interface Person {
  readonly id: number;
  readonly fate: Fate;
  readonly reports: readonly ReportToCome[];
}

interface RangeOfRun {
  readonly idSent: number;
  readonly idJob: number;
  readonly number: number;
  readonly people: readonly Person[];
  readonly lag: number;
  readonly isKilled: boolean;
  run: RangeRun;
}

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());

/** A database whose transactions do everything and are never committed, as in a killed process. */
class DyingDb extends SiteDb {
  override async transaction<T>(work: (tx: SiteDb) => Promise<T>): Promise<T> {
    return super.transaction(async (tx) => {
      await work(tx);
      throw new Error('killed');
    });
  }
}

const holder = { owner: 'me', leaseS: 60 };

async function lease(idJob: number): Promise<RangeRun[]> {
  const taken = await takeRanges(t.db, holder, idJob, 100, { at: 'infinity' });
  const runs = taken.map(
    async (one) => new RangeRun(one, await readLog(t.db, idJob, one.number), standardRetry),
  );
  return Promise.all(runs);
}

/** A job of two sendings, as those of an A/B test are, and a test mailing of the same campaign. */
async function makeRun(draw: Draw): Promise<{ jobs: MadeJob[]; ranges: RangeOfRun[] }> {
  const real = await makeJob(t.db, { state: 'Sending', sents: 2, nbAddressToSend: everybody.length });
  const { idCampaign } = real;
  const trial = await makeJob(t.db, { state: 'Sending', idCampaign, isTest: true });
  const jobs = [real, trial];
  const sents = jobs.flatMap(({ idJob, idsSent }) => idsSent.map((idSent) => ({ idJob, idSent })));
  const ranges: RangeOfRun[] = [];
  for (const [n, { idJob, idSent }] of sents.entries()) {
    const people = await makePeople(draw.people.slice(n * everybody.length, (n + 1) * everybody.length));
    for (let part = 0; part < rangesOfSent; part++) {
      const own = people.filter((_, index) => index % rangesOfSent === part);
      const number = ranges.length;
      await t.db.run(sql`
        insert into ${t.db.t.recipient_range} (id_job, number, id_sent, subscribers)
        values (${idJob}, ${number}, ${idSent}, ${own.map(({ id }) => id).sort((a, b) => a - b)}::int[])`);
      const { lag, isKilled } = draw.ranges[number]!;
      // Leased below.
      const run = undefined as never;
      ranges.push({ idSent, idJob, number, people: own, lag, isKilled, run });
    }
  }
  const runs = (await Promise.all(jobs.map(({ idJob }) => lease(idJob)))).flat();
  for (const range of ranges) range.run = runs.find((run) => run.number === range.number)!;
  return { jobs, ranges };
}

/** Subscribers of a sending, in order. */
async function makePeople(drawn: Draw['people']): Promise<Person[]> {
  const rows = await t.db.rows<{ id: number }>(sql`
    insert into ${t.db.t.subscriber} (fld1)
    select gen_random_uuid() || '@example.org' from generate_series(1, ${drawn.length}::int) returning fld0 as id`);
  const people = drawn.map(({ first, second, isKilled, isRepeated, place }, n) => {
    const { fate, moment } = everybody[n]!;
    const id = rows[n]!.id;
    const twice = second ? [{ ...second, isKilled: false, isRepeated: false }] : [];
    const all = moment === undefined ? [] : [{ moment, class: first, isKilled, isRepeated }, ...twice];
    return { place, id, fate, reports: all.map((one, i) => ({ ...one, messageId: `<${id}.${i}@mx>` })) };
  });
  return people.sort((a, b) => a.place - b.place);
}

const { hard, soft, autoReply, dns, spam, complaint } = bounceClasses;
const words: Readonly<Record<BounceClass, Pick<Report, 'kind' | 'action' | 'status'>>> = {
  [hard]: { kind: 'dsn', action: 'failed', status: '5.1.1' },
  [soft]: { kind: 'dsn', action: 'failed', status: '4.2.2' },
  [autoReply]: { kind: 'reply', action: '', status: '' },
  [dns]: { kind: 'dsn', action: 'failed', status: '5.1.2' },
  [spam]: { kind: 'dsn', action: 'failed', status: '5.7.1' },
  [complaint]: { kind: 'complaint', action: 'abuse', status: '' },
};

async function report(idSent: number, idSubscriber: number, one: ReportToCome): Promise<void> {
  const { messageId, isKilled, isRepeated } = one;
  const of = { idSite: t.db.site.id, idSent, idSubscriber };
  const said = { ...words[one.class], diagnostic: '', isServerReply: true, subject: '', messageId };
  const dying = { ...t.app, siteById: async () => new DyingDb(t.app.control, t.db.site) };
  if (isKilled) await expect(recordReport(dying, said, of, t.clock.now())).rejects.toThrow('killed');
  expect(await recordReport(t.app, said, of, t.clock.now())).toBe(one.class);
  if (isRepeated) expect(await recordReport(t.app, said, of, t.clock.now())).toBeNull();
}

/** States that the log receives one after the other, for recipients that are attempted. */
const answers: Partial<Record<Fate, readonly OutcomeState[]>> = {
  accepted: [outcomes.accepted],
  refused: [outcomes.refused],
  deadMailbox: [outcomes.refused],
  expired: [outcomes.deferred, outcomes.expired],
  cancelled: [outcomes.withdrawn, outcomes.cancelled],
};

const isHandedOver = ({ fate }: Person) => fate !== 'deadMailbox' && fate !== 'untried';

/** Does the engine's work with a range in one phase. */
async function act(range: RangeOfRun, phase: number, commit: GroupCommit): Promise<void> {
  const { run, people } = range;
  if (phase === phases.handOver)
    await Promise.all(people.filter(isHandedOver).map(({ id }) => commit.intend(run, id)));
  // A killed process reports nothing, and the next holder reads the log.
  if (phase === phases.answers && !range.isKilled) await answer(range, commit);
  if (phase === phases.closing) await close(range);
}

async function answer({ run, people }: RangeOfRun, commit: GroupCommit): Promise<void> {
  const refusal = { class: hard, status: '5.1.1', diagnostic: 'no such user' };
  for (const { id, fate } of people)
    for (const state of answers[fate] ?? [])
      commit.record(run, { id, state, code: 0, at: 0, ...(fate === 'deadMailbox' && { refusal }) });
  await commit.idle();
}

/**
 * Closes a range: recipients that were handed over without an outcome become uncertain, the other pending ones
 * cancelled.
 */
async function close({ run, people }: RangeOfRun): Promise<void> {
  const finals = new Map(run.memory.finals);
  for (const person of people) {
    const state = isHandedOver(person) ? receiptStates.uncertain : receiptStates.cancelled;
    if (!finals.has(person.id)) finals.set(person.id, { state, code: 0 });
  }
  expect(await closeRange(t.db, { ...run, epoch: run.epoch, finals }, () => 0, t.clock.now())).toBe(true);
}

async function takeOver(ranges: readonly RangeOfRun[]): Promise<void> {
  for (const { idJob, number } of ranges)
    await t.db.run(sql`
      update ${t.db.t.recipient_range} set lease_until = now() - interval '1 s'
      where id_job = ${idJob} and number = ${number}`);
  for (const idJob of new Set(ranges.map((range) => range.idJob)))
    for (const run of await lease(idJob)) ranges.find(({ number }) => number === run.number)!.run = run;
}

/** A step: the engine, the reports, folds and rebuilds all at once, in whatever order the database takes them. */
async function step(ranges: readonly RangeOfRun[], now: number, draw: Draw): Promise<void> {
  const commit = new GroupCommit(t.db, holder, () => t.clock.now(), {
    committed: () => undefined,
    fenced: () => undefined,
    failed: (_, error) => {
      throw error;
    },
  });
  await takeOver(ranges.filter(({ isKilled, lag }) => isKilled && now - lag === phases.answers));
  const work = ranges.flatMap((range) => [
    act(range, now - range.lag, commit),
    ...range.people.flatMap(({ id, reports }) =>
      reports.filter(({ moment }) => moment === now - range.lag).map((one) => report(range.idSent, id, one)),
    ),
  ]);
  if (draw.folds[now]) work.push(foldActivity(t.db).then(() => undefined));
  if (draw.rebuilds[now]) work.push(rebuildSums(t.db));
  await Promise.all(work);
}

const gravestFirst = [hard, spam, dns, soft, autoReply];

/** The figures of a sent by their definition, after step `now`. */
function byHand(ranges: readonly RangeOfRun[], now: number): Partial<Counters> {
  const people = ranges.flatMap(({ people: own, lag, isKilled }) =>
    own.map(({ fate, reports }) => {
      const isAnswered = now - lag >= phases.answers && !isKilled;
      const classes = reports.filter(({ moment }) => moment <= now - lag).map((one) => one.class);
      if (isAnswered && fate === 'deadMailbox') classes.push(hard);
      const isSent = classes.length > 0 || (isAnswered && fate === 'accepted');
      return { isSent, gravest: gravestFirst.find((one) => classes.includes(one)), classes };
    }),
  );
  const count = (is: (one: (typeof people)[number]) => boolean) => people.filter(is).length;
  const bounced = (of: BounceClass) => count(({ gravest }) => gravest === of);
  return {
    nbAddressSent: count(({ isSent }) => isSent),
    nbHardBounces: bounced(hard),
    nbSoftBounces: bounced(soft),
    nbAutoRespondersBounces: bounced(autoReply),
    nbDnsErrorsBounces: bounced(dns),
    nbSpamBounces: bounced(spam),
    nbTotalBounces: count(({ gravest }) => gravest !== undefined),
    nbSpamComplaints: count(({ classes }) => classes.includes(complaint)),
    nbUnsubs: count(({ classes }) => classes.includes(complaint)),
    nbDelivered: count(({ isSent, gravest }) => isSent && (gravest === undefined || gravest === autoReply)),
  };
}

/** Compares the figures of each sending with the definition, and returns them. */
async function look(ranges: readonly RangeOfRun[], now: number): Promise<Map<number, Counters>> {
  const idsSent = [...new Set(ranges.map(({ idSent }) => idSent))];
  const counters = await countersOfSents(t.db, idsSent);
  for (const idSent of idsSent) {
    const own = ranges.filter((range) => range.idSent === idSent);
    expect(counters.get(idSent)).toEqual({ ...noCounters, ...byHand(own, now) });
  }
  return counters;
}

async function view<T>(path: string, query: Record<string, number> = {}): Promise<T> {
  const reply = await t.call('GET', path, { query, as: 'reader' });
  expect([reply.status, reply.error]).toEqual([200, null]);
  return reply.data as T;
}

type Shown = Readonly<Record<string, unknown>>;

/** Campaign, jobs and sendings show the sums of the same figures. */
async function compareViews(jobs: readonly MadeJob[], counters: ReadonlyMap<number, Counters>) {
  const [real] = jobs as [MadeJob];
  const sumOf = (idsSent: readonly number[]): Shown => ({
    ...sumCounters(idsSent.map((id) => counters.get(id)!)),
  });
  const same = (shown: Shown, sum: Shown) => {
    const names = Object.keys(shown).filter((name) => name in sum);
    expect(names).toContain('nbAddressSent');
    expect(names).toContain('nbSoftBounces');
    expect(Object.fromEntries(names.map((name) => [name, shown[name]]))).toEqual(
      Object.fromEntries(names.map((name) => [name, sum[name]])),
    );
  };
  same(await view('/statistics/campaign', { idCampaign: real.idCampaign }), sumOf(real.idsSent));
  const listed = await view<Shown[]>('/statistics/jobs', { 'filters.paginationLines': 200 });
  for (const { idJob, idsSent } of jobs) same(listed.find((one) => one.idJob === idJob)!, sumOf(idsSent));
  const sendings = await view<Shown[]>(`/campaigns/${real.idCampaign}/sendings`);
  expect(sendings).toHaveLength(sentsOfRun);
  for (const sent of sendings) {
    const sum = sumOf([sent.idSent as number]);
    const { nbAutoRespondersBounces, nbDnsErrorsBounces, nbSpamBounces } = sum;
    same(sent, {
      ...sum,
      nbAutoResponders: nbAutoRespondersBounces,
      nbDnsErrors: nbDnsErrorsBounces,
      nbSpam: nbSpamBounces,
    });
  }
}

/** Compares fields 44 and 7 with the gravest report and the relay's replies, whatever the outcome of the message. */
async function compareStates(ranges: readonly RangeOfRun[]): Promise<void> {
  await markRefused.run(t.app, { idSite: t.db.site.id }, new AbortController().signal);
  const people = ranges.flatMap(({ people: own, isKilled }) => own.map((one) => ({ ...one, isKilled })));
  const expected = people.map(({ id, fate, reports, isKilled }) => {
    const classes = reports.map((one) => one.class);
    if (fate === 'deadMailbox' && !isKilled) classes.push(hard);
    const worst = [complaint, hard, soft].findIndex((one) => classes.includes(one));
    return { id, delivery: worst < 0 ? 0 : 3 - worst, status: classes.includes(complaint) ? 1 : 0 };
  });
  const known = await t.db.rows(sql`
    select fld0 as id, fld44 as delivery, fld7 as status from ${t.db.t.subscriber}
    where fld0 = any(${people.map(({ id }) => id)}::int[]) order by fld0`);
  expect(known).toEqual(expected.sort((a, b) => a.id - b.id));
}

it('counts exactly whatever is reported for any recipient at any time, in every view, rebuilt or not', async () => {
  const rule = fc.asyncProperty(anyRun, async (draw) => {
    const { jobs, ranges } = await makeRun(draw);
    for (let now = 0; now < steps; now++) {
      await step(ranges, now, draw);
      await compareViews(jobs, await look(ranges, now));
    }
    while ((await foldActivity(t.db)).receipts > 0);
    const sums = await dumpSums(t.db);
    await rebuildSums(t.db);
    expect(await dumpSums(t.db)).toEqual(sums);
    await look(ranges, steps);
    await compareStates(ranges);
  });
  // Smaller runs would leave something out, and each takes seconds.
  await fc.assert(rule, { numRuns: 2, endOnFailure: true });
}, 240_000);
