import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hitKinds } from '../../activity/hit.ts';
import { hitClasses } from '../../activity/hit-class.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { type AbTestOptions, abTestNow, makeAbTest } from '../../testing/make-ab-test.ts';
import { makeHit, makeHits } from '../../testing/make-activity.ts';
import type { MadeJob } from '../../testing/make-sent.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import type { SmtpSink } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';
import { eagerWatch, losePatience, watchedAnew } from '../../testing/watched-job.ts';
import { winnerAfterMs } from '../ab-test.ts';
import { countStalledSendings } from '../sending-health.ts';
import { bringTestOn } from './engine.ts';

let t: TestApp;
let sending: SendingTester;
beforeAll(async () => {
  t = await testApp();
  sending = new SendingTester(t, { engine: { pollMs: 30 }, relay: { keepRaw: true } });
});
afterAll(() => t.close());
afterEach(async () => {
  await sending.end();
  await t.app.control.run(sql`delete from facteur.sending_job`);
  t.clock.set('2026-11-20T10:00:00Z');
});

const header = (name: string, sink: SmtpSink) =>
  sink.messages.map((one) => new RegExp(`^${name}: (.*?)\\r$`, 'm').exec(String(one.raw))?.[1]);
const countOf = (values: readonly (string | undefined)[]) =>
  Object.fromEntries(
    [...new Set(values)].map((one) => [one, values.filter((value) => value === one).length]),
  );
const subjects = (sink: SmtpSink) => countOf(header('Subject', sink));
const make = (options?: AbTestOptions) => makeAbTest(t, options);
const now = (made: MadeJob) => abTestNow(t.db, made);
const act = async (path: string, made: MadeJob) =>
  (await t.call('POST', `/campaigns/${path}`, { body: made.idCampaign })).status;

/** Sends the variants, until it is known when the winner is chosen. */
async function variantsSent(made: MadeJob): Promise<void> {
  await until(async () => (await now(made)).dueAt !== null, 'everybody in the variants was tried');
}
const ended = (made: MadeJob) =>
  until(async () => /Finished|Stopped/.test((await now(made)).state), 'the job ends');

async function subscribersOf(idSent: number): Promise<number[]> {
  const { t: tables } = t.db;
  const rows = await t.db.rows<{ id: number }>(sql`
    select unnest(subscribers) as id from ${tables.recipient_range} where id_sent = ${idSent} order by 1`);
  return rows.map(({ id }) => id);
}

/** Makes `people` recipients, and then `machines` scanners, open the message of a sending. */
async function opened(idSent: number, people: number, machines = 0): Promise<void> {
  const ids = await subscribersOf(idSent);
  const hits = ids.slice(0, people + machines).map((id, index) => {
    const by = index < people ? hitClasses.human : [hitClasses.mpp, hitClasses.scanner][index % 2]!;
    return makeHit(idSent, id, hitKinds.open, { class: by, at: t.clock.now() });
  });
  await makeHits(t.db, hits);
}

const usual = { 'Subject A': 60, 'Subject B': 60 };

describe('an A/B test', () => {
  it('sends the remainder with the subject of the variant that most people opened, four hours later', async () => {
    const sink = await sending.relay();
    sending.engine();
    const made = await make();
    await variantsSent(made);
    expect(subjects(sink)).toEqual(usual);
    const dueAt = new Date(t.clock.now().getTime() + winnerAfterMs);
    expect(await now(made)).toMatchObject({ state: 'Sending', dueAt, decidedAt: null, held: 1 });
    // Machines would make the first one win.
    await opened(made.idsSent[0]!, 10, 40);
    await opened(made.idsSent[1]!, 11, 2);
    t.clock.advance(winnerAfterMs - 1);
    expect(await bringTestOn(t.db, made.idJob, dueAt, t.clock.now())).toBeUndefined();
    t.clock.advance(1);
    await ended(made);
    expect(subjects(sink)).toEqual({ 'Subject A': 60, 'Subject B': 120 });
    expect(new Set(sink.messages.map((one) => one.to)).size).toBe(180);
    // What is not tested stays its own; the date is that of the second wave.
    expect(countOf(header('From', sink))).toEqual({
      '"Ada" <news@example.com>': 60,
      '"Bea" <news@example.com>': 60,
      '"Rosa" <news@example.com>': 60,
    });
    expect(countOf(header('Date', sink))).toEqual({
      'Fri, 20 Nov 2026 10:00:00 +0000': 120,
      'Fri, 20 Nov 2026 14:00:00 +0000': 60,
    });
    expect(await now(made)).toMatchObject({
      state: 'Finished',
      decidedAt: dueAt,
      idWinner: made.idsSent[1],
      held: 0,
      results: [
        { idSent: made.idsSent[0], readers: 10, delivered: 60 },
        { idSent: made.idsSent[1], readers: 11, delivered: 60 },
      ],
    });
  });

  it('of senders gives the remainder the name, and no subject', async () => {
    const sink = await sending.relay();
    sending.engine();
    const made = await make({ type: 'Sender' });
    await variantsSent(made);
    await opened(made.idsSent[1]!, 5);
    t.clock.advance(winnerAfterMs);
    await ended(made);
    expect(subjects(sink)).toEqual({ ...usual, 'Subject of the rest': 60 });
    expect(countOf(header('From', sink))).toEqual({
      '"Ada" <news@example.com>': 60,
      '"Bea" <news@example.com>': 120,
    });
  });

  it('of fewer than 50 sends the first variant', async () => {
    const sink = await sending.relay();
    sending.engine();
    const made = await make({ size: 20 });
    await variantsSent(made);
    await opened(made.idsSent[1]!, 20);
    t.clock.advance(winnerAfterMs);
    await ended(made);
    expect(subjects(sink)).toEqual({ 'Subject A': 40, 'Subject B': 20 });
  });

  it('waits until everybody in the variants was attempted once, and not for those who are deferred', {
    timeout: 150_000,
  }, async () => {
    let isFull = true;
    const sink = await sending.relay({
      misdeed: (to) => (isFull && Number.parseInt(to, 10) % 10 === 0 ? 'defer' : undefined),
    });
    const made = await make({ campaign: { sendingSpeed: 36_000 } });
    sending.engine();
    await until(() => sink.messages.length > 5, 'it is under way');
    expect((await now(made)).dueAt).toBeNull();
    await variantsSent(made);
    expect(sink.messages).toHaveLength(108);
    await opened(made.idsSent[1]!, 3);
    t.clock.advance(winnerAfterMs - 1);
    // Deferred recipients are retried, with the same subject, while the test continues.
    await until(async () => (await now(made)).state === 'Sending', 'it waits');
    isFull = false;
    t.clock.advance(1);
    await until(async () => (await now(made)).decidedAt !== null, 'it is decided');
    t.clock.advance(winnerAfterMs);
    await ended(made);
    expect(subjects(sink)).toEqual({ 'Subject A': 60, 'Subject B': 120 });
    expect(new Set(sink.messages.map((one) => one.to)).size).toBe(180);
  });

  it('looks at statuses again when the remainder is sent', async () => {
    const sink = await sending.relay();
    sending.engine();
    const made = await make();
    await variantsSent(made);
    const [left, bounced, ...others] = await subscribersOf(made.idsSent[2]!);
    const { subscriber } = t.db.t;
    await t.db.run(sql`update ${subscriber} set fld7 = 1 where fld0 = ${left}`);
    await t.db.run(sql`update ${subscriber} set fld44 = 2 where fld0 = ${bounced}`);
    t.clock.advance(winnerAfterMs);
    await ended(made);
    const last = sink.messages.slice(120).map((one) => Number.parseInt(one.to, 10));
    expect(last.sort((a, b) => a - b)).toEqual(others);
    const cancelled = await t.db.rows(sql`
      select id_subscriber as id from ${t.db.t.receipt} where id_sent = ${made.idsSent[2]} and state = 5 order by 1`);
    expect(cancelled).toEqual([{ id: left }, { id: bounced }]);
  });
});

describe('while the winner is waited for', () => {
  it('a pause over the four hours puts the choice off until it continues', async () => {
    const sink = await sending.relay();
    sending.engine();
    const made = await make();
    await variantsSent(made);
    expect(await act('pause', made)).toBe(200);
    t.clock.advance(2 * winnerAfterMs);
    // The look is the engine's own: it must not decide for one that is paused.
    expect(await bringTestOn(t.db, made.idJob, (await now(made)).dueAt, t.clock.now())).toBeUndefined();
    expect(await now(made)).toMatchObject({ state: 'Paused', decidedAt: null, held: 1 });
    // What was read during the pause counts.
    await opened(made.idsSent[1]!, 7);
    expect(await act('send-now', made)).toBe(200);
    await ended(made);
    expect(await now(made)).toMatchObject({ state: 'Finished', decidedAt: t.clock.now() });
    expect(subjects(sink)).toEqual({ 'Subject A': 60, 'Subject B': 120 });
  });

  it('a stop cancels the remainder, and nothing is chosen', async () => {
    const sink = await sending.relay();
    sending.engine();
    const made = await make();
    await variantsSent(made);
    expect(await act('stop', made)).toBe(200);
    const idRemainder = made.idsSent[2]!;
    const states = sql`
      select state, count(*) as n from ${t.db.t.receipt} where id_sent = ${idRemainder} group by state`;
    await until(async () => (await t.db.rows(states)).length > 0, 'they have a final state');
    expect(await t.db.rows(states)).toEqual([{ state: 5, n: 60 }]);
    t.clock.advance(winnerAfterMs);
    expect(await bringTestOn(t.db, made.idJob, (await now(made)).dueAt, t.clock.now())).toBeUndefined();
    expect(await now(made)).toMatchObject({ state: 'Stopped', decidedAt: null, held: 0 });
    expect(sink.messages).toHaveLength(120);
    const sendings = await t.call('GET', `/campaigns/${made.idCampaign}/sendings`);
    expect(sendings.data).toMatchObject([
      { informations: 'A/B test: a variant', nbAddressSent: 60 },
      {},
      { informations: 'A/B test: no winner was chosen', nbAddressSent: 0, startDate: null },
    ]);
  });

  it('a held installation decides nothing', async () => {
    const sink = await sending.relay();
    let mayGoOn = true;
    let refusals = 0;
    sending.engine({
      mayGoOn: async () => {
        if (!mayGoOn) refusals += 1;
        return mayGoOn;
      },
    });
    const made = await make();
    await variantsSent(made);
    mayGoOn = false;
    t.clock.advance(winnerAfterMs);
    await until(() => refusals > 2, 'it is asked again and again');
    expect(await now(made)).toMatchObject({ decidedAt: null, held: 1 });
    mayGoOn = true;
    await ended(made);
    expect(sink.messages).toHaveLength(180);
  });

  it('is no standstill; a choice that fails is one, until it succeeds', async () => {
    const sink = await sending.relay();
    sending.engine({ watch: eagerWatch });
    const made = await make();
    await variantsSent(made);
    const { t: tables } = t.db;
    const open = sql`
      select from ${tables.recipient_range}
      where id_job = ${made.idJob} and not is_done and not_before is distinct from 'infinity'`;
    await until(async () => (await t.db.rows(open)).length === 0, 'only the remainder is open');
    await watchedAnew(t.app.control, made.idJob);
    await losePatience(t.app.control);
    await watchedAnew(t.app.control, made.idJob);
    const { moved } = await t.app.control.one<{ moved: boolean }>(sql`
      select moved_at > clock_timestamp() - interval '10 minutes' as moved
      from facteur.sending_job where id_job = ${made.idJob}`);
    expect([await countStalledSendings(t.app.control), moved]).toEqual([0, true]);
    await t.db.run(sql`alter table ${tables.sent_counter} rename to mislaid`);
    t.clock.advance(winnerAfterMs);
    await until(async () => {
      await losePatience(t.app.control);
      return (await countStalledSendings(t.app.control)) === 1;
    }, 'the alarm');
    expect(await now(made)).toMatchObject({ state: 'Sending', decidedAt: null, held: 1 });
    await t.db.run(sql`alter table ${t.db.name('mislaid')} rename to sent_counter`);
    await ended(made);
    expect(sink.messages).toHaveLength(180);
  });
});

describe('several processes', () => {
  it('decide once', async () => {
    const sink = await sending.relay();
    const made = await make();
    const engines = [sending.engine(), sending.engine(), sending.engine()];
    await variantsSent(made);
    await opened(made.idsSent[1]!, 3);
    for (const engine of engines) await engine.stop();
    t.clock.advance(winnerAfterMs);
    const { dueAt } = await now(made);
    const choices = await Promise.all(
      Array.from({ length: 8 }, () => bringTestOn(t.db, made.idJob, dueAt, t.clock.now())),
    );
    const chosen = { idSent: made.idsSent[1], reason: 'best' };
    expect(choices.filter(Boolean)).toEqual([chosen]);
    sending.engine();
    sending.engine();
    await ended(made);
    expect(subjects(sink)).toEqual({ 'Subject A': 60, 'Subject B': 120 });
    expect(new Set(sink.messages.map((one) => one.to)).size).toBe(180);
  });

  it('a process that was running when another one chose also sends the remainder with the winner', async () => {
    // Two connections hang in a variant, so that this process keeps the messages that it began with.
    const hanging: string[] = [];
    const sink = await sending.relay({
      misdeed: (to) => {
        if (hanging.length >= 2) return undefined;
        hanging.push(to);
        return 'takeAndHang';
      },
    });
    const made = await make();
    sending.engine();
    await until(() => sink.messages.length === 120, 'the others have their messages');
    expect((await now(made)).dueAt).toBeNull();
    await opened(made.idsSent[1]!, 3);
    const at = t.clock.now();
    await t.db.run(sql`update ${t.db.t.ab_test} set due_at = ${at} where id_job = ${made.idJob}`);
    await until(() => sink.messages.length === 180, 'the remainder is sent');
    expect(subjects(sink)).toEqual({ 'Subject A': 60, 'Subject B': 120 });
    const { n } = await t.db.one<{ n: number }>(sql`
      select count(distinct lease_owner) as n from ${t.db.t.recipient_range}
      where id_job = ${made.idJob} and lease_owner is not null`);
    expect(n).toBe(1);
    // Otherwise the engine, which ends before its relays do, would wait for the two that hang.
    await sink.close();
  });
});
