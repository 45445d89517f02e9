import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { dnsRecordOf, newDkimKey } from '../../accounts/sending-domain.ts';
import { createSendingDomain } from '../../accounts/sending-domain-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import {
  type MadeSending,
  makeSending,
  type SendingOptions,
  sendingFinished,
  sendingResult,
} from '../../testing/make-sending.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import type { SmtpSink } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';
import type { JobState } from '../job.ts';
import { moveJob, offerJob } from '../job-store.ts';
import type { SendingEngine } from './engine.ts';
import { HourlyPermits } from './permits.ts';

let test: TestApp;
let sending: SendingTester;
beforeAll(async () => {
  test = await testApp();
  sending = new SendingTester(test, { relay: { maxConnections: 8 } });
});
afterEach(() => sending.end());
afterAll(() => test.close());

const make = (options: SendingOptions) => makeSending(test.db, options);
const result = (made: MadeSending) => sendingResult(test.db, made);

const finished = (made: MadeSending) => sendingFinished(test.db, made);
const addresses = (sink: SmtpSink) => sink.messages.map((one) => one.to).sort();

describe('a job', () => {
  it('is sent whole, once each, and ended', async () => {
    const sink = await sending.relay({ keepRaw: true });
    const made = await make({ recipients: 2_500 });
    sending.engine();
    expect(await finished(made)).toEqual({
      state: 'Finished',
      scheduleState: 'Finished',
      open: 0,
      receipts: { 1: 2_500 },
      logRows: 0,
    });
    expect(new Set(addresses(sink)).size).toBe(2_500);
    expect(sink.messages).toHaveLength(2_500);
    expect(new Set(sink.messages.map((one) => one.messageId)).size).toBe(2_500);
    expect(sink.messages[0]?.from).toMatch(/^b-[a-z2-7]+@mail\.test$/);
    expect(sink.peak()).toBeLessThanOrEqual(8);
    const left = await test.app.control.rows(sql`select * from facteur.sending_job`);
    expect(left).toEqual([]);
  });

  it('shows refused recipients, and those that are no longer eligible', async () => {
    const made = await make({ recipients: 30 });
    const { t } = test.db;
    const ids = await test.db.rows<{ id: number }>(sql`
      select unnest(subscribers) as id from ${t.recipient_range} where id_job = ${made.idJob}`);
    const [unsubscribed, bounced, deleted, broken] = ids.map((row) => row.id);
    await test.db.run(sql`update ${t.subscriber} set fld7 = 1 where fld0 = ${unsubscribed}`);
    await test.db.run(sql`update ${t.subscriber} set fld44 = 3 where fld0 = ${bounced}`);
    await test.db.run(sql`delete from ${t.subscriber} where fld0 = ${deleted}`);
    // No message can be made for this one: it is refused with a code of ours, and the others are sent.
    await test.db.run(sql`update ${t.subscriber} set fld1 = 'a b@example.org' where fld0 = ${broken}`);
    const sink = await sending.relay({ misdeed: (to) => (to.startsWith('r30-') ? 'refuse' : undefined) });
    sending.engine();
    expect(await finished(made)).toMatchObject({
      state: 'FinishedWithErrors',
      receipts: { 1: 25, 2: 2, 5: 3 },
    });
    expect(await test.db.rows(sql`select error_info as told from ${t.job} where id = ${made.idJob}`)).toEqual(
      [
        {
          told:
            '1 refused (not for the mailbox: the sender, the content, a policy), ' +
            'besides 1 bounced, which is no error',
        },
      ],
    );
    expect(sink.messages).toHaveLength(25);
    const codes = await test.db.rows(sql`
      select code from ${t.receipt} where id_sent = ${made.idSent} and state = 2 order by code`);
    expect(codes).toEqual([{ code: 550 }, { code: 554 }]);
    const providers = await test.db.rows(sql`select distinct id_provider from ${t.receipt}`);
    expect(providers).toEqual([{ id_provider: 0 }]);
  });

  it.each([
    ['the domain itself', 'news.example.com', ['rsa-sha256']],
    ['a parent domain, aligned', 'example.com', ['rsa-sha256']],
    ['both algorithms', 'example.com', ['rsa-sha256', 'ed25519-sha256']],
  ] as const)('signs with the keys of %s', async (_, domain, algorithms) => {
    const records = new Map<string, string>();
    for (const algorithm of algorithms) {
      const key = { domain, selector: algorithm, algorithm, privateKey: await newDkimKey(algorithm) };
      await createSendingDomain(test.app.control, test.app.secrets, test.db.site.id, key);
      const { name, text } = dnsRecordOf(key);
      records.set(name, text);
    }
    sending.atEnd(() => test.app.control.run(sql`delete from facteur.sending_domain`));
    const sink = await sending.relay({ keepRaw: true });
    const made = await make({ recipients: 3 });
    sending.engine();
    await finished(made);
    expect(sink.messages).toHaveLength(3);
    for (const message of sink.messages) {
      const { results } = await dkimVerify(message.raw!, {
        resolver: async (name: string) => [[records.get(name) ?? '']],
      });
      // Aligned with the sender, news@news.example.com: the relaxed rule of DMARC.
      const status = { result: 'pass', aligned: domain };
      expect(results).toMatchObject(algorithms.map((algo) => ({ algo, signingDomain: domain, status })));
    }
  });
});

describe('a relay that misbehaves', () => {
  it('delivers to every recipient exactly once; only cut-off ones are uncertain', async () => {
    const made = await make({ recipients: 400, rangeSize: 150 });
    const torn = new Set<string>();
    const sink = await sending.relay({
      misdeed: (to, attempt) => {
        const n = Number(/\d+/.exec(to)?.[0]);
        if (attempt > 1) return undefined;
        if (n % 20 === 0) return 'defer';
        if (n % 33 === 0) return 'tearData';
        if (n % 90 === 1) torn.add(to);
        return torn.has(to) ? 'takeAndTear' : undefined;
      },
    });
    sending.engine({ retry: { delays: [50], giveUpAfter: 60_000 } });
    const ticking = setInterval(() => test.clock.advance(50), 20);
    sending.atEnd(async () => clearInterval(ticking));
    const { receipts, state } = await finished(made);
    expect(state).toBe('FinishedWithErrors');
    // If the relay hangs up during the data, the dot may already be in transit: then the outcome is unknown.
    expect(receipts[1]! + receipts[4]!).toBe(400);
    expect(receipts[4]).toBeGreaterThanOrEqual(torn.size);
    expect(receipts[4]).toBeLessThanOrEqual(torn.size + 400 / 33);
    expect(new Set(addresses(sink)).size).toBe(sink.messages.length);
    expect(sink.messages).toHaveLength(receipts[1]! + torn.size);
    expect(torn.size).toBeGreaterThan(3);
  });

  it('waits for one that refuses connections, and continues when it is back', async () => {
    let isBusy = true;
    let refusals = 0;
    const sink = await sending.relay({
      banner: () => {
        if (isBusy) refusals += 1;
        return isBusy ? '421 busy' : undefined;
      },
    });
    const made = await make({ recipients: 20 });
    sending.engine();
    await until(() => refusals >= 2, 'it was tried twice');
    expect(sink.messages).toHaveLength(0);
    isBusy = false;
    expect((await finished(made)).receipts).toEqual({ 1: 20 });
  });

  it('gives up after the time for retries, and shows it', async () => {
    await sending.relay({ misdeed: (to) => (to.startsWith('r1-') ? 'defer' : undefined) });
    const made = await make({ recipients: 5 });
    sending.engine({ retry: { delays: [60_000], giveUpAfter: 3_600_000 } });
    await until(async () => {
      // The range is released until the next attempt; each comes an hour of the clock later.
      test.clock.advance(600_000);
      return (await result(made)).open === 0;
    }, 'it expires');
    expect((await finished(made)).receipts).toEqual({ 1: 4, 3: 1 });
  });
});

describe('pause, resume and stop', () => {
  const setState = (made: MadeSending, state: JobState) => moveJob(test.db, made.idJob, state);
  const resume = (made: MadeSending) =>
    test.db.transaction(async (tx) => {
      await moveJob(tx, made.idJob, 'Sending');
      await offerJob(tx, made.idJob);
    });

  it('leave no trace in who gets the message', async () => {
    const sink = await sending.relay({ delayMs: 2 });
    const made = await make({ recipients: 1_200, rangeSize: 100 });
    sending.engine();
    for (let round = 1; round <= 10; round++) {
      await until(() => sink.messages.length >= round * 100, `round ${round} is under way`);
      await setState(made, 'Paused');
      // What is in flight when the pause is committed may still arrive: at most one message a connection.
      const before = sink.messages.length;
      await until(async () => (await test.db.rows(leased(made))).length === 0, 'all ranges are released');
      expect(sink.messages.length - before).toBeLessThanOrEqual(8);
      await resume(made);
    }
    expect((await finished(made)).receipts).toEqual({ 1: 1_200 });
    expect(sink.messages).toHaveLength(1_200);
    expect(new Set(addresses(sink)).size).toBe(1_200);
  });

  it('a stop gives everybody who is left the state cancelled', async () => {
    const sink = await sending.relay({ delayMs: 2 });
    const made = await make({ recipients: 1_000, rangeSize: 100 });
    sending.engine();
    await until(() => sink.messages.length >= 150, 'it is under way');
    await setState(made, 'Stopped');
    await until(async () => (await result(made)).open === 0, 'everybody has a final state');
    const { receipts, state } = await result(made);
    expect(state).toBe('Stopped');
    expect(receipts[1]).toBe(sink.messages.length);
    expect(receipts[5]).toBe(1_000 - sink.messages.length);
    await until(
      async () => (await test.app.control.rows(sql`select 1 from facteur.sending_job`)).length === 0,
      'the hint is taken away',
    );
  });

  const leased = (made: MadeSending) => sql`
    select number from ${test.db.t.recipient_range} where id_job = ${made.idJob} and lease_owner is not null`;
});

describe('several processes', () => {
  it('share a job, its speed and the connections of a route', async () => {
    const sink = await sending.relay({ delayMs: 1 });
    await test.app.control.run(sql`update facteur.route set max_connections = 3`);
    const made = await make({ recipients: 600, rangeSize: 50 });
    sending.engine();
    sending.engine();
    expect((await finished(made)).receipts).toEqual({ 1: 600 });
    expect(sink.messages).toHaveLength(600);
    expect(sink.peak()).toBeLessThanOrEqual(3);
  });

  it('a stopped one gives its ranges back at once', async () => {
    const sink = await sending.relay({ delayMs: 2 });
    const made = await make({ recipients: 800, rangeSize: 50 });
    const first = sending.engine({ leaseS: 600 });
    await until(() => sink.messages.length >= 100, 'it is under way');
    await first.stop();
    const stoppedAt = sink.messages.length;
    sending.engine({ leaseS: 600 });
    expect((await finished(made)).receipts).toEqual({ 1: 800 });
    expect(stoppedAt).toBeLessThan(800);
    expect(sink.messages).toHaveLength(800);
  });
});

describe('speeds', () => {
  it('keep to the messages per hour of a job', async () => {
    const sink = await sending.relay();
    // 20 a second, with a second's worth at the start.
    const made = await make({ recipients: 50, sendingSpeed: 72_000 });
    const start = performance.now();
    sending.engine();
    await finished(made);
    const seconds = (performance.now() - start) / 1000;
    expect(sink.messages).toHaveLength(50);
    expect(seconds).toBeGreaterThan(1.4);
    const buckets = () =>
      test.app.control.rows(sql`select from facteur.send_bucket where key like ${`job:%:${made.idJob}`}`);
    await until(async () => (await buckets()).length === 0, 'the bucket goes with the job');
  });

  it('keep to the messages per hour of a route', async () => {
    await sending.relay();
    await test.app.control.run(sql`update facteur.route set messages_per_hour = 72000`);
    const made = await make({ recipients: 40 });
    const start = performance.now();
    sending.engine();
    await finished(made);
    expect(performance.now() - start).toBeGreaterThan(900);
  });

  it('keep to the messages per hour and the connections of a provider', async () => {
    const sink = await sending.relay({ delayMs: 5 });
    await test.app.control.run(sql`
      update facteur.provider set messages_per_hour = 72000, max_connections = 2 where id = 1`);
    sending.atEnd(() =>
      test.app.control.run(sql`update facteur.provider set messages_per_hour = 0, max_connections = 0`),
    );
    const limited = await make({ recipients: 40, domain: 'gmail.com' });
    const free = await make({ recipients: 40 });
    const start = performance.now();
    sending.engine();
    expect((await finished(free)).receipts).toEqual({ 1: 40 });
    const freeMs = performance.now() - start;
    expect((await finished(limited)).receipts).toEqual({ 1: 40 });
    expect(performance.now() - start).toBeGreaterThan(900);
    expect(freeMs).toBeLessThan(performance.now() - start);
    expect(sink.messages).toHaveLength(80);
    const providers = await test.db.rows(sql`
      select distinct id_provider as id from ${test.db.t.receipt} where id_sent = ${limited.idSent}`);
    expect(providers).toEqual([{ id: 1 }]);
  });

  /** Limits the provider of gmail.com for one test. */
  async function limitProvider(messagesPerHour: number, maxConnections: number): Promise<void> {
    const set = (perHour: number, connections: number) =>
      test.app.control.run(sql`
        update facteur.provider set messages_per_hour = ${perHour}, max_connections = ${connections} where id = 1`);
    await set(messagesPerHour, maxConnections);
    sending.atEnd(() => set(0, 0));
  }

  it.each([
    ['messages per hour', 3_600, 0],
    ['connections', 0, 1],
  ])('%s of a provider delay no other recipients of the same job', async (_limit, perHour, connections) => {
    const sink = await sending.relay({ delayMs: 20 });
    await limitProvider(perHour, connections);
    // Half of each of its 40 ranges is with the provider.
    const made = await make({ recipients: 400, rangeSize: 10, domainOfEveryOther: 'gmail.com' });
    const engine = sending.engine();
    const sentTo = (domain: string) => sink.messages.filter(({ to }) => to.endsWith(domain)).length;
    await until(() => sentTo('example.org') === 200, 'all others are sent to');
    expect(sentTo('gmail.com')).toBeLessThan(200);
    // Limits are read at the start, and once a minute.
    await engine.stop();
    await limitProvider(0, 0);
    sending.engine();
    expect((await finished(made)).receipts).toEqual({ 1: 400 });
    expect(sink.messages).toHaveLength(400);
  });

  it('of a route that is slow and a provider with one connection let everybody through', async () => {
    // A message every 2.4 s: longer than a connection of a provider is kept that nobody requests.
    const sink = await sending.relay({ messagesPerHour: 1_500 });
    await limitProvider(0, 1);
    const made = await make({ recipients: 3, domain: 'gmail.com' });
    sending.engine();
    expect((await finished(made)).receipts).toEqual({ 1: 3 });
    expect(sink.messages).toHaveLength(3);
  });

  it('use up a message of a provider for each that is sent, and none for one that waits for a connection', async () => {
    let first: SendingEngine | undefined;
    let stopped: Promise<void> | undefined;
    // The others wait for the connection when it ends.
    const onMessage = () => {
      stopped ??= first?.stop();
    };
    const sink = await sending.relay({ delayMs: 20, onMessage });
    await limitProvider(3_600_000, 1);
    const acquire = vi.spyOn(HourlyPermits.prototype, 'acquire');
    const release = vi.spyOn(HourlyPermits.prototype, 'release');
    sending.atEnd(async () => vi.restoreAllMocks());
    const made = await make({ recipients: 40, domain: 'gmail.com' });
    first = sending.engine();
    await until(() => stopped !== undefined, 'the first message');
    await stopped;
    sending.engine();
    expect((await finished(made)).receipts).toEqual({ 1: 40 });
    const acquired = acquire.mock.settledResults.map(({ value }, i) =>
      acquire.mock.calls[i]![0].key === 'provider:1' ? (value as { acquired: number }).acquired : 0,
    );
    const released = release.mock.calls.map(([{ key }, messages]) => (key === 'provider:1' ? messages : 0));
    const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
    expect(sum(released)).toBeGreaterThan(0);
    expect(sum(acquired) - sum(released)).toBe(40);
    expect(sink.messages).toHaveLength(40);
  });
});
