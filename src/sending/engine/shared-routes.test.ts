import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSending, sendingFinished } from '../../testing/make-sending.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import type { SmtpSink } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';
import type { WorkerProcess } from '../../testing/worker-process.ts';

let test: TestApp;
let sending: SendingTester;
beforeAll(async () => {
  test = await testApp();
  sending = new SendingTester(test);
});
afterEach(() => sending.end());
afterAll(() => test.close());

/** A worker that polls as the service does, and whose leases do not run out while the test runs. */
async function worker(clientName: string): Promise<WorkerProcess> {
  const process = sending.worker({ clientName, pollMs: 1_000, leaseS: 600 });
  await process.ready();
  return process;
}

/** Extends the lease of all permits beyond the test: only the end of their holder can release them. */
async function keepPermitsHeld(): Promise<void> {
  await test.app.control.run(sql`
    update facteur.connection_permit set held_until = clock_timestamp() + interval '1 hour'`);
}

function sentBy(sink: SmtpSink, client: string, from = 0): number {
  return sink.messages.slice(from).filter((message) => message.client === client).length;
}

function expectOnceEach(sink: SmtpSink, count: number): void {
  expect(sink.messages).toHaveLength(count);
  expect(new Set(sink.messages.map(({ to }) => to)).size).toBe(count);
}

describe('two workers on one route', () => {
  it('both send within 10 s of the second one’s start, each 40 to 60 per cent', async () => {
    const sink = await sending.relay({ delayMs: 20, maxConnections: 4 });
    const made = await makeSending(test.db, { recipients: 3_000, rangeSize: 100 });
    await worker('first');
    await until(() => sentBy(sink, 'first') > 100, 'the first one sends');
    await worker('second');
    await until(() => sentBy(sink, 'second') > 0, 'the second one sends');
    const from = sink.messages.length;
    await until(() => sink.messages.length >= from + 1_000, 'both have sent');
    const share = sentBy(sink, 'second', from) / (sink.messages.length - from);
    expect(share).toBeGreaterThan(0.4);
    expect(share).toBeLessThan(0.6);
    expect(sink.peak()).toBeLessThanOrEqual(4);
    expect((await sendingFinished(test.db, made, 60_000)).receipts).toEqual({ 1: 3_000 });
    expectOnceEach(sink, 3_000);
  });

  it('take turns on its only connection', async () => {
    const sink = await sending.relay({ delayMs: 10, maxConnections: 1 });
    const made = await makeSending(test.db, { recipients: 1_300, rangeSize: 100 });
    await worker('first');
    await worker('second');
    const both = () => sentBy(sink, 'first') > 100 && sentBy(sink, 'second') > 100;
    await until(both, 'both have sent');
    expect((await sendingFinished(test.db, made, 60_000)).receipts).toEqual({ 1: 1_300 });
    expectOnceEach(sink, 1_300);
    expect(sink.peak()).toBe(1);
  });
});

describe('a worker that is killed with -9', () => {
  it('leaves connections and ranges to the other one at once; only messages running are uncertain', async () => {
    const sink = await sending.relay({ delayMs: 20, maxConnections: 4 });
    const made = await makeSending(test.db, { recipients: 2_000, rangeSize: 100 });
    const first = await worker('first');
    await worker('second');
    await until(() => sentBy(sink, 'first') > 0 && sentBy(sink, 'second') > 0, 'both send');
    await keepPermitsHeld();
    await first.end('SIGKILL');
    const taken = sink.messages.length;
    await until(() => sentBy(sink, 'second', taken) > 0, 'the other one goes on');
    await until(() => sink.connections() === 4, 'it has all connections');
    const { receipts } = await sendingFinished(test.db, made);
    expect((receipts[1] ?? 0) + (receipts[4] ?? 0)).toBe(2_000);
    expect(receipts[4] ?? 0).toBeLessThanOrEqual(4);
    expect(new Set(sink.messages.map(({ to }) => to)).size).toBe(sink.messages.length);
  });

  it('leaves its only connection to a worker that had none: the first message follows within 5 s', async () => {
    const sink = await sending.relay({ delayMs: 10, maxConnections: 1 });
    const made = await makeSending(test.db, { recipients: 600, rangeSize: 100 });
    const workers = new Map([
      ['first', await worker('first')],
      ['second', await worker('second')],
    ]);
    await until(() => sink.messages.length > 10, 'one of them sends');
    const { client } = sink.messages.at(-1)!;
    await keepPermitsHeld();
    await workers.get(client)!.end('SIGKILL');
    const taken = sink.messages.length;
    await until(() => sink.messages.length > taken, 'the other one goes on');
    expect(sink.messages.at(-1)!.client).not.toBe(client);
    const { receipts } = await sendingFinished(test.db, made);
    expect((receipts[1] ?? 0) + (receipts[4] ?? 0)).toBe(600);
    expect(receipts[4] ?? 0).toBeLessThanOrEqual(1);
    expect(new Set(sink.messages.map(({ to }) => to)).size).toBe(sink.messages.length);
  });

  it('does so before it ever shared: the next one, started afterwards, sends at once', async () => {
    const sink = await sending.relay({ delayMs: 10, maxConnections: 4 });
    const made = await makeSending(test.db, { recipients: 1_000, rangeSize: 100 });
    const first = await worker('first');
    await until(() => sink.messages.length > 50, 'the first one sends');
    await keepPermitsHeld();
    await first.end('SIGKILL');
    const taken = sink.messages.length;
    await worker('second');
    await until(() => sink.messages.length > taken, 'the second one sends');
    const { receipts } = await sendingFinished(test.db, made);
    expect((receipts[1] ?? 0) + (receipts[4] ?? 0)).toBe(1_000);
    expect(receipts[4] ?? 0).toBeLessThanOrEqual(4);
    expect(new Set(sink.messages.map(({ to }) => to)).size).toBe(sink.messages.length);
  });
});
