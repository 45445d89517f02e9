import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { identifier, sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { type MadeSending, makeSending, sendingFinished } from '../../testing/make-sending.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import type { SmtpSink } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';

let test: TestApp;
let sending: SendingTester;
beforeAll(async () => {
  test = await testApp();
  sending = new SendingTester(test);
});
afterEach(() => sending.end());
afterAll(() => test.close());

const key = 'provider:1';
const max = 2;
const rows = <R extends object>(query: ReturnType<typeof sql>) =>
  test.app.control.rows<R & Record<string, unknown>>(query);

/** Kills a worker with -9 while it uses all of a provider's connections; the relay replies from then on. */
async function killHolder(): Promise<{ made: MadeSending; sink: SmtpSink }> {
  let answers = false;
  const sink = await sending.relay({
    maxConnections: 4,
    misdeed: () => (answers ? undefined : 'takeAndHang'),
  });
  await test.app.control.run(sql`update facteur.provider set max_connections = ${max} where id = 1`);
  const made = await makeSending(test.db, { recipients: 12, rangeSize: 4, domain: 'gmail.com' });
  const holder = sending.worker();
  await until(() => sink.messages.length === max, 'the first process uses all permits');
  await holder.end('SIGKILL');
  answers = true;
  return { made, sink };
}

/** Recipients running when the first process was killed are uncertain, and get nothing more. */
async function expectOnceEach(made: MadeSending, sink: SmtpSink): Promise<void> {
  expect((await sendingFinished(test.db, made, 60_000)).receipts).toEqual({ 1: 12 - max, 4: max });
  expect(new Set(sink.messages.map(({ to }) => to)).size).toBe(12);
  expect(sink.messages).toHaveLength(12);
  expect(sink.peakMessages()).toBeLessThanOrEqual(max);
}

it('permits of a provider are free immediately when their holder is killed -9 on this machine', async () => {
  const { made, sink } = await killHolder();
  await test.app.control.run(sql`
    update facteur.connection_permit set held_until = clock_timestamp() + interval '1 hour'`);
  sending.worker({ leaseS: 600 });
  await expectOnceEach(made, sink);
});

it('permits of a provider whose holder ended on another machine expire after 15 s', async () => {
  const { control } = test.app;
  const { made, sink } = await killHolder();
  const dead = 'a process elsewhere';
  for (const table of ['connection_permit', 'permit_demand'])
    await control.run(sql`update facteur.${identifier(table)} set owner = ${dead}`);

  const permits = await rows<{ owner: string; isShort: boolean }>(sql`
    select owner, held_until <= clock_timestamp() + interval '15 s' as "isShort"
    from facteur.connection_permit where key = ${key}`);
  expect(permits).toEqual(Array.from({ length: max }, () => ({ owner: dead, isShort: true })));

  // The dead process's permits do not expire now; everything else that it held has expired.
  await control.run(sql`
    update facteur.connection_permit
    set held_until = clock_timestamp() + case when key = ${key} then interval '1 hour' else interval '-1 s' end`);
  await control.run(sql`update facteur.permit_demand set until = clock_timestamp() - interval '2 minutes'`);
  sending.worker();
  const lastAsked = async () =>
    (
      await rows<{ at: string }>(sql`
      select until::text as at from facteur.permit_demand where key = ${key} and owner <> ${dead}`)
    )[0]?.at;
  await until(async () => (await lastAsked()) !== undefined, 'the next process requests permits');
  const first = await lastAsked();
  await until(async () => (await lastAsked()) !== first, 'it asks again');
  expect(sink.messages).toHaveLength(max);

  await control.run(sql`
    update facteur.connection_permit set held_until = clock_timestamp() - interval '1 s' where owner = ${dead}`);
  await expectOnceEach(made, sink);
  expect(
    await rows(sql`select owner from facteur.connection_permit where owner = ${dead} and key = ${key}`),
  ).toEqual([]);
});
