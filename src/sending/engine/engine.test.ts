import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import {
  type MadeSending,
  makeSending,
  type SendingOptions,
  sendingResult,
} from '../../testing/make-sending.ts';
import { type SinkOptions, type SmtpSink, smtpSink } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';
import { type EngineOptions, SendingEngine } from './engine.ts';

let test: TestApp;
beforeAll(async () => {
  test = await testApp();
});
afterAll(() => test.close());

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function sinkFor(options: SinkOptions = {}): Promise<SmtpSink> {
  const sink = await smtpSink(options);
  closers.push(() => sink.close());
  await test.app.control.run(sql`delete from facteur.route`);
  await test.app.control.run(sql`
    insert into facteur.route (id_site, host, port, tls, max_connections)
    values (${test.db.site.id}, '127.0.0.1', ${sink.port}, 'none', 8)`);
  return sink;
}

function startEngine(options: EngineOptions = {}): SendingEngine {
  const engine = new SendingEngine(test.app, { pollMs: 50, leaseS: 2, ...options });
  engine.start();
  closers.push(() => engine.stop());
  return engine;
}

const make = (options: SendingOptions) => makeSending(test.db, options);
const result = (made: MadeSending) => sendingResult(test.db, made);

async function untilOver(made: MadeSending): Promise<Awaited<ReturnType<typeof result>>> {
  await until(async () => /Finished|Stopped/.test((await result(made)).state), 'the job ends');
  await until(async () => (await result(made)).open === 0, 'all ranges are done');
  return result(made);
}

const addresses = (sink: SmtpSink) => sink.messages.map((one) => one.to).sort();

describe('a job', () => {
  it('is sent whole, once each, and ended', async () => {
    const sink = await sinkFor({ keepRaw: true });
    const made = await make({ recipients: 2_500 });
    startEngine();
    expect(await untilOver(made)).toEqual({
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
});
