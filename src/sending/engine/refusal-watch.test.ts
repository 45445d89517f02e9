import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { getCampaign } from '../../campaigns/campaign-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { type MadeSending, makeSending, sendingFinished, sendingResult } from '../../testing/make-sending.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import type { Misdeed, SmtpSink } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';
import { resumeCampaign } from '../control-jobs.ts';
import { findJob } from '../job-store.ts';

let test: TestApp;
let sending: SendingTester;
beforeAll(async () => {
  test = await testApp();
  sending = new SendingTester(test, { engine: { retry: { delays: [0], giveUpAfter: 86_400_000 } } });
});
afterAll(() => test.close());
afterEach(async () => {
  await sending.end();
  await test.app.control.run(sql`delete from facteur.sending_job`);
});

const connections = 4;
/** Number of attempts after the decision: messages in flight, and as many until the pause takes effect. */
const late = 2 * connections;

interface Relay {
  readonly sink: SmtpSink;
  /** Number of attempts. */
  tries(): number;
}

/** A relay that does so with the n-th try, from 1. */
async function relay(misdeed: (n: number) => Misdeed | undefined, max = connections): Promise<Relay> {
  let tries = 0;
  const sink = await sending.relay({ misdeed: () => misdeed(++tries), maxConnections: max });
  return { sink, tries: () => tries };
}

const make = (recipients: number) => makeSending(test.db, { recipients });
const stateOf = async (made: MadeSending) => (await sendingResult(test.db, made)).state;
const toldOf = async (made: MadeSending) => (await findJob(test.db, made.idJob))?.errorInfo ?? null;
const paused = (made: MadeSending) =>
  until(async () => (await stateOf(made)) === 'Paused', 'the job pauses itself');
const finished = (made: MadeSending) => sendingFinished(test.db, made);
const resume = (made: MadeSending) =>
  test.db.transaction(async (tx) =>
    resumeCampaign(tx, await getCampaign(tx, made.idCampaign), test.clock.now()),
  );

/** The recipients whose refusal is in the log or among the receipts, once each. */
async function refused(made: MadeSending): Promise<number> {
  const { count } = await test.db.one<{ count: number }>(sql`
    select count(distinct id)::int as count from (
      select o.id from ${test.db.t.send_log} l, unnest(l.outcomes, l.states) o (id, state)
      where l.id_job = ${made.idJob} and o.state = 2
      union all
      select id_subscriber from ${test.db.t.receipt} where id_sent = ${made.idSent} and state = 2) refused`);
  return count;
}

/** The recipients whose refusal is recorded, once the paused job's ranges are released: nothing is in flight then. */
async function recorded(made: MadeSending): Promise<number> {
  const { t } = test.db;
  const isHeld = () =>
    test.db.value<boolean>(sql`
      select exists (select from ${t.recipient_range} where id_job = ${made.idJob} and lease_owner is not null)`);
  await until(async () => !(await isHeld()), 'the ranges are released');
  return refused(made);
}

describe('a job whose relay refuses everybody', () => {
  it.each<[string, Misdeed, string]>([
    ['at RCPT', 'refuse', '550'],
    ['after the message', 'refuseData', '554'],
  ])('%s pauses itself, says why, and keeps what is recorded', async (_where, misdeed, code) => {
    const { sink, tries } = await relay(() => misdeed);
    const made = await make(3_000);
    sending.engine();
    await paused(made);
    const told = await recorded(made);
    expect(told).toBeGreaterThanOrEqual(200);
    expect(tries()).toBeLessThanOrEqual(200 + late);
    // The pause came before the end of these messages: the relay has not replied to them, and they are sent again.
    const withdrawn = tries() - told;
    expect(withdrawn).toBeGreaterThanOrEqual(0);
    expect(withdrawn).toBeLessThanOrEqual(misdeed === 'refuseData' ? connections : 0);
    expect(await toldOf(made)).toBe(
      `The relay permanently rejected 200 of 200 messages, the last one with code ${code}. ` +
        'It is paused: resume it to send the rest, or stop it',
    );
    expect((await sendingResult(test.db, made)).scheduleState).toBe('Paused');
    await sink.close();
    const mended = await relay(() => undefined);
    await resume(made);
    await finished(made);
    expect(mended.sink.messages).toHaveLength(3_000 - told);
    expect((await sendingResult(test.db, made)).receipts).toEqual({ 1: 3_000 - told, 2: told });
    // Refusals of content are errors of the job; nonexistent mailboxes are not.
    if (misdeed === 'refuse') expect(await toldOf(made)).toBeNull();
    else expect(await toldOf(made)).toMatch(new RegExp(`^${told} refused`));
  });

  it('counts again when it is resumed, and tries 200 more before it pauses again', async () => {
    const { tries } = await relay(() => 'refuse');
    const made = await make(450);
    sending.engine();
    await paused(made);
    await until(async () => (await refused(made)) === tries(), 'all answers are recorded');
    const first = tries();
    await resume(made);
    await until(() => tries() > first, 'it goes on');
    await paused(made);
    expect(tries() - first).toBeGreaterThanOrEqual(200);
    expect(tries() - first).toBeLessThanOrEqual(200 + late);
    await until(async () => (await refused(made)) === tries(), 'all answers are recorded');
    // Fewer than 200 are left.
    await resume(made);
    await finished(made);
    expect((await sendingResult(test.db, made)).receipts).toEqual({ 2: 450 });
  });

  it('pauses after a kill -9 as well, having counted again', async () => {
    const { tries } = await relay((n) => (n <= 150 ? 'refuse' : n <= 154 ? 'stall' : 'refuse'));
    const made = await make(3_000);
    const first = sending.worker();
    await until(async () => tries() === 154 && (await refused(made)) === 150, 'all connections hang');
    await first.end('SIGKILL');
    expect(await stateOf(made)).toBe('Sending');
    sending.worker();
    await paused(made);
    expect(tries()).toBeGreaterThanOrEqual(354);
    expect(tries()).toBeLessThanOrEqual(354 + late);
    await until(async () => (await refused(made)) === tries() - 4, 'all answers are recorded');
  });
});

describe('a job continues', () => {
  it('to its end when it is small, though every address is dead', async () => {
    await relay(() => 'refuse');
    const made = await make(199);
    sending.engine();
    await finished(made);
    expect(await sendingResult(test.db, made)).toMatchObject({ state: 'Finished', receipts: { 2: 199 } });
  });

  it('while its relay takes half', async () => {
    await relay((n) => (n % 2 === 0 ? 'refuse' : undefined));
    const made = await make(1_000);
    sending.engine();
    await finished(made);
    expect((await sendingResult(test.db, made)).receipts).toEqual({ 1: 500, 2: 500 });
  });

  it('at 179 refused of 200, and not at 180', async () => {
    // One connection, so that answers come in order.
    await relay((n) => (n % 200 < 21 ? undefined : 'refuse'), 1);
    const under = await make(800);
    sending.engine();
    await finished(under);
    expect((await sendingResult(test.db, under)).receipts).toEqual({ 1: 84, 2: 716 });
    const { tries } = await relay((n) => (n % 200 < 20 ? undefined : 'refuse'), 1);
    const over = await make(800);
    await paused(over);
    expect(tries()).toBeLessThanOrEqual(202);
    expect(await toldOf(over)).toMatch(/^The relay permanently rejected 180 of 200 messages/);
  });

  it('while newcomers are deferred at first, and only dead addresses get an answer permanently', async () => {
    // Three hundred are refused before the first one is taken.
    await relay((n) => (n % 10 === 0 ? 'refuse' : n <= 3_000 ? 'defer' : undefined));
    const made = await make(600);
    sending.engine();
    await finished(made);
    const { receipts } = await sendingResult(test.db, made);
    expect((receipts[1] ?? 0) + (receipts[2] ?? 0)).toBe(600);
  });

  it('when its relay begins to reject every message during the job: the job is paused', async () => {
    const { tries } = await relay((n) => (n > 500 ? 'refuse' : undefined));
    const made = await make(3_000);
    sending.engine();
    await paused(made);
    expect(tries()).toBeLessThanOrEqual(500 + 400 + late);
  });
});
