import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRoute, deleteRoute } from '../../accounts/route-store.ts';
import { getCampaign } from '../../campaigns/campaign-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { freePort } from '../../testing/free-port.ts';
import { type MadeSending, makeSending, sendingFinished, sendingResult } from '../../testing/make-sending.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import type { SinkOptions, SmtpSink } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';
import { resumeCampaign } from '../control-jobs.ts';
import { findJob } from '../job-store.ts';
import type { EngineOptions, SendingEngine } from './engine.ts';
import { endIfLate } from './halt-job.ts';

let test: TestApp;
let sending: SendingTester;
beforeAll(async () => {
  test = await testApp();
  sending = new SendingTester(test, { engine: { pollMs: 20 } });
});
afterEach(async () => {
  await sending.end();
  await test.app.control.run(sql`delete from facteur.route`);
  await test.app.control.run(sql`delete from facteur.sending_job`);
});
afterAll(() => test.close());

/** A route to a port on loopback; its id. */
async function route(port: number, more: object = {}): Promise<number> {
  const input = { host: '127.0.0.1', port, tls: 'none', maxConnections: 4, ...more } as const;
  return (await createRoute(test.app.control, test.app.secrets, test.db.site.id, input)).id;
}
const remove = (id: number) => deleteRoute(test.app.control, test.db.site.id, id);

async function startEngine(options: EngineOptions = {}): Promise<SendingEngine> {
  // Where the built-in mailbox would be: mail in it is mail that was lost.
  const mailbox = await sending.sink({ capabilities: ['AUTH PLAIN'] });
  const engine = sending.engine({ mailboxPort: mailbox.port, ...options });
  sending.atEnd(async () => expect(mailbox.messages).toEqual([]));
  return engine;
}

const make = (recipients: number, isTest = false) => makeSending(test.db, { recipients, isTest });
const stateOf = async (made: MadeSending) => (await sendingResult(test.db, made)).state;
const toldOf = async (made: MadeSending) => (await findJob(test.db, made.idJob))?.errorInfo ?? null;
const finished = (made: MadeSending) => sendingFinished(test.db, made);

function expectOnceEach(recipients: number, ...sinks: SmtpSink[]): void {
  const all = sinks.flatMap(({ messages }) => messages.map(({ to }) => to));
  expect([all.length, new Set(all).size]).toEqual([recipients, recipients]);
}

describe('routes that change under a running job', () => {
  it('nothing more leaves by one that was deleted, and a new one joins', async () => {
    const [old, next] = [await sending.sink({ delayMs: 15 }), await sending.sink()];
    const id = await route(old.port);
    const made = await make(2_000);
    await startEngine();
    await until(() => old.messages.length > 20, 'the job runs');
    await route(next.port);
    await remove(id);
    await until(() => next.messages.length > 0, 'the new one is used');
    await until(() => old.connections() === 0, 'the connections to the old one end');
    const taken = old.messages.length;
    await finished(made);
    expect(old.messages).toHaveLength(taken);
    expect(taken).toBeLessThan(2_000);
    expectOnceEach(2_000, old, next);
    expect((await sendingResult(test.db, made)).receipts).toEqual({ 1: 2_000 });
    const permits = sql`select from facteur.connection_permit where key = ${`route:${id}`}`;
    await until(async () => (await test.app.control.rows(permits)).length === 0, 'its permits are released');
  });

  it('a job whose only relay was deleted waits, never in the mailbox, and continues with a new one', async () => {
    const [old, next] = [await sending.sink({ delayMs: 15 }), await sending.sink()];
    const id = await route(old.port);
    const made = await make(1_000);
    const engine = await startEngine();
    await until(() => old.messages.length > 20, 'the job runs');
    await remove(id);
    await until(() => old.connections() === 0, 'it is let go of');
    test.clock.advance(31_000);
    await until(async () => /no relay is left/.test((await toldOf(made)) ?? ''), 'it is told');
    // What it began with is known to the next process, too.
    await engine.stop();
    await startEngine();
    await until(async () => /no relay is left/.test((await toldOf(made)) ?? ''), 'it is told again');
    await route(next.port);
    await finished(made);
    expect(next.messages.length).toBeGreaterThan(0);
    expectOnceEach(1_000, old, next);
    expect(await toldOf(made)).toBeNull();
  });

  it('a job whose only relay was deleted under its last message ends without another', async () => {
    let answer: () => void = () => undefined;
    const answerAfter = new Promise<void>((resolve) => (answer = resolve));
    const old = await sending.sink({ answerAfter });
    const id = await route(old.port);
    const made = await make(1);
    await startEngine();
    await until(() => old.messages.length === 1, 'the message is taken');
    await remove(id);
    const isToldAsTimePasses = async () => {
      test.clock.advance(1_000);
      return /no relay is left/.test((await toldOf(made)) ?? '');
    };
    await until(isToldAsTimePasses, 'it is let go of');
    answer();
    await until(async () => (await stateOf(made)) === 'Finished', 'the job ends');
    expect((await sendingResult(test.db, made)).receipts).toEqual({ 1: 1 });
    expect(await toldOf(made)).toBeNull();
  });

  it('a job that began in the mailbox ends there, though a relay is there by now', async () => {
    const mailbox = await sending.sink({ capabilities: ['AUTH PLAIN'], delayMs: 10 });
    const relay = await sending.sink();
    const made = await make(400);
    sending.engine({ mailboxPort: mailbox.port });
    await until(() => mailbox.messages.length > 10, 'the job runs');
    await route(relay.port);
    await finished(made);
    expectOnceEach(400, mailbox);
    expect(relay.messages).toEqual([]);
  });
});

describe('positions of routes', () => {
  it('share the load at the lowest one; a relay of the next one is on standby', async () => {
    const [a, b, standby] = [
      await sending.sink({ delayMs: 2 }),
      await sending.sink({ delayMs: 2 }),
      await sending.sink(),
    ];
    await route(a.port, { position: 3 });
    await route(standby.port, { position: 4 });
    await route(b.port, { position: 3 });
    const made = await make(600);
    await startEngine();
    await finished(made);
    expect([a.messages.length > 0, b.messages.length > 0, standby.messages.length]).toEqual([true, true, 0]);
    expectOnceEach(600, a, b);
  });

  it('it takes over while none of the first can be reached, and hands back', async () => {
    const port = await freePort();
    const standby = await sending.sink({ delayMs: 10 });
    await route(port, { position: 1 });
    await route(await freePort(), { position: 1 });
    await route(standby.port, { position: 2 });
    const made = await make(4_000);
    await startEngine();
    await until(() => standby.messages.length > 20, 'the second position sends');
    expect(await toldOf(made)).toBeNull();
    const first = await sending.sink({ port });
    await until(() => first.messages.length > 0, 'the first position sends again');
    await until(() => standby.connections() === 0, 'the second one stands by again');
    const taken = standby.messages.length;
    await finished(made);
    expect(standby.messages).toHaveLength(taken);
    expectOnceEach(4_000, first, standby);
  });
});

describe('the status of its relays that a job shows', () => {
  it.each<[string, SinkOptions | undefined, object, RegExp]>([
    ['is away', undefined, {}, /127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED/],
    [
      'refuses the password',
      { capabilities: ['AUTH PLAIN'], signIn: (said) => `535 5.7.8 wrong: ${said}` },
      { username: 'ada', password: 'hunter2' },
      /127\.0\.0\.1:\d+ does not take the user name and the password \(535\)$/,
    ],
    ['has no TLS', {}, { tls: 'starttls' }, /cannot be used: The relay does not offer STARTTLS$/],
  ])('that it %s, in time, and no more once it continues', async (_what, options, more, told) => {
    const port = options ? (await sending.sink(options)).port : await freePort();
    const id = await route(port, more);
    const made = await make(20);
    await startEngine();
    await until(async () => told.test((await toldOf(made)) ?? ''), 'it is told');
    expect(await toldOf(made)).not.toMatch(/hunter2|aHVudGVyM/);
    // The first message has no answer until then, so that the job cannot end before.
    let answer: () => void = () => undefined;
    const answerAfter = new Promise<void>((resolve) => (answer = resolve));
    const good = await sending.sink({ answerAfter });
    await route(good.port, { maxConnections: 1 });
    await remove(id);
    await until(() => good.messages.length > 0, 'it goes on');
    await until(async () => (await toldOf(made)) === null, 'it is told no more');
    expect(await stateOf(made)).toBe('Sending');
    answer();
    await finished(made);
    expect(await toldOf(made)).toBeNull();
  });
});

describe('a job that nobody could be attempted of for a day', () => {
  it('pauses, says since when and why, and continues when it is resumed', async () => {
    const port = await freePort();
    await route(port);
    const made = await make(50);
    await startEngine();
    await until(async () => (await toldOf(made)) !== null, 'it is told');
    const since = test.clock.now().toISOString();
    test.clock.advance(23 * 3_600_000);
    expect(await endIfLate(test.db, made.idJob, test.clock.now())).toBe(false);
    expect(await stateOf(made)).toBe('Sending');
    test.clock.advance(3_600_000);
    await until(async () => (await stateOf(made)) === 'Paused', 'it is paused');
    expect(await toldOf(made)).toMatch(new RegExp(`since ${since}\\..*resume it.*ECONNREFUSED`));
    expect((await sendingResult(test.db, made)).scheduleState).toBe('Paused');
    const back = await sending.sink({ port });
    await test.db.transaction(async (tx) =>
      resumeCampaign(tx, await getCampaign(tx, made.idCampaign), test.clock.now()),
    );
    await finished(made);
    expectOnceEach(50, back);
    expect(await toldOf(made)).toBeNull();
  });

  it('ends when it is a test mailing', async () => {
    await route(await freePort());
    const made = await make(5, true);
    await startEngine();
    await until(async () => (await toldOf(made)) !== null, 'it is told');
    test.clock.advance(24 * 3_600_000);
    await until(async () => (await stateOf(made)) === 'Stopped', 'it is stopped');
    await until(async () => (await sendingResult(test.db, made)).open === 0, 'all have a final state');
    expect(await sendingResult(test.db, made)).toMatchObject({
      receipts: { 5: 5 },
      scheduleState: 'InProgress',
    });
  });

  it('does not end after a day of deferrals, however short each attempt was', async () => {
    const relay = await sending.sink({ misdeed: () => 'defer' });
    await route(relay.port);
    const made = await make(1);
    const { job, recipient_range: range } = test.db.t;
    await test.db.run(sql`update ${job} set tried_at = ${test.clock.now()} where id = ${made.idJob}`);
    const isPutOff = async () => {
      const { at } = await test.db.one<{ at: Date | null }>(sql`
        select max(not_before) as at from ${range} where id_job = ${made.idJob} and lease_owner is null`);
      return at !== null && at > test.clock.now();
    };
    // Checks the relays' status less often than it attempts a message.
    const hour = 3_600_000;
    await startEngine({ pollMs: 500, retry: { delays: [12 * hour], giveUpAfter: 24 * hour } });
    await until(isPutOff, 'it is put off');
    test.clock.advance(12 * hour);
    await until(isPutOff, 'it is put off again');
    test.clock.advance(12 * hour);
    await until(async () => (await stateOf(made)) !== 'Sending', 'it is over');
    expect(await stateOf(made)).toBe('FinishedWithErrors');
  });

  it('is not sent by a process that comes back later: kill -9, a day, another process', async () => {
    const port = await freePort();
    await route(port);
    const made = await make(20);
    const first = sending.worker();
    await first.ready();
    await until(async () => (await toldOf(made)) !== null, 'it is told');
    await first.end('SIGKILL');
    await test.db.run(sql`update ${test.db.t.job} set tried_at = tried_at - interval '24 hours'`);
    const back = await sending.sink({ port });
    sending.worker();
    await until(async () => (await stateOf(made)) === 'Paused', 'it is paused');
    expect(back.messages).toEqual([]);
  });
});
