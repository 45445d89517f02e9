import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSending, sendingFinished } from '../../testing/make-sending.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
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

it('slots of a provider whose holder is killed -9 run out after 15 s, and the next process sends on them', {
  timeout: 120_000,
}, async () => {
  const { control } = test.app;
  let answers = false;
  const sink = await sending.relay({
    maxConnections: 4,
    misdeed: () => (answers ? undefined : 'takeAndHang'),
  });
  await control.run(sql`update facteur.provider set max_connections = ${max} where id = 1`);
  const made = await makeSending(test.db, { recipients: 12, rangeSize: 4, domain: 'gmail.com' });
  const holder = sending.worker();
  await until(() => sink.messages.length === max, 'the first process has all slots in use', 60_000);
  await holder.end('SIGKILL');
  answers = true;

  const slots = await rows<{ owner: string; isShort: boolean }>(sql`
    select owner, held_until <= clock_timestamp() + interval '15 s' as "isShort"
    from facteur.connection_slot where route = ${key}`);
  const dead = slots[0]!.owner;
  expect(slots).toEqual(Array.from({ length: max }, () => ({ owner: dead, isShort: true })));

  // Time stands still for the dead one's slots; for all else that was his it has passed.
  await control.run(sql`
    update facteur.connection_slot
    set held_until = clock_timestamp() + case when route = ${key} then interval '1 hour' else interval '-1 s' end`);
  await control.run(sql`update facteur.slot_demand set until = clock_timestamp() - interval '2 minutes'`);
  sending.worker();
  const lastAsked = async () =>
    (
      await rows<{ at: string }>(sql`
      select until::text as at from facteur.slot_demand where route = ${key} and owner <> ${dead}`)
    )[0]?.at;
  await until(async () => (await lastAsked()) !== undefined, 'the next process asks for slots', 60_000);
  const first = await lastAsked();
  await until(async () => (await lastAsked()) !== first, 'it asks again');
  expect(sink.messages).toHaveLength(max);

  await control.run(sql`
    update facteur.connection_slot set held_until = clock_timestamp() - interval '1 s' where owner = ${dead}`);
  // Who was under way when the first process died is uncertain, and gets nothing more.
  expect((await sendingFinished(test.db, made, 60_000)).receipts).toEqual({ 1: 12 - max, 4: max });
  expect(new Set(sink.messages.map(({ to }) => to)).size).toBe(12);
  expect(sink.messages).toHaveLength(12);
  expect(sink.peakMessages()).toBeLessThanOrEqual(max);
  expect(
    await rows(sql`select owner from facteur.connection_slot where owner = ${dead} and route = ${key}`),
  ).toEqual([]);
});
