import { expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { testApp } from '../../testing/app.ts';
import { Hold } from '../../testing/hold.ts';
import { makeSending, sendingFinished, sendingResult } from '../../testing/make-sending.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import { until } from '../../testing/until.ts';
import { permitLeaseMs } from './permit-store.ts';

it('an engine that stops lets nothing more leave and gives its ranges back, whatever its look waits for', async () => {
  const test = await testApp({ operations: [] });
  const sending = new SendingTester(test);
  sending.atEnd(() => test.close());
  try {
    const sink = await sending.relay({ delayMs: 20, maxConnections: 1 });
    const made = await makeSending(test.db, { recipients: 1_000 });
    const engine = sending.engine();
    await until(() => sink.messages.length > 0, 'the first message');
    // Looks read it, commits do not.
    const hold = await Hold.of(
      test.connection,
      `lock table ${test.db.site.schema}.ab_test in access exclusive mode`,
    );
    await hold.reached();
    const stopped = engine.stop();
    const held = () =>
      test.db.rows(sql`
        select from ${test.db.t.recipient_range} where id_job = ${made.idJob} and lease_owner is not null`);
    await until(async () => (await held()).length === 0, 'the ranges are released').finally(() =>
      hold.letGo(),
    );
    await stopped;
    expect(sink.messages.length).toBeLessThan(1_000);
    expect((await sendingResult(test.db, made)).open).toBe(1);
  } finally {
    await sending.end();
  }
});

it('an engine that stops keeps leases and permits until the last reply, for longer than they are held', async () => {
  const test = await testApp({ operations: [] });
  const sending = new SendingTester(test);
  sending.atEnd(() => test.close());
  const { control } = test.app;
  try {
    let answer = () => {};
    const answerAfter = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const sink = await sending.relay({ maxConnections: 2, answerAfter });
    const made = await makeSending(test.db, { recipients: 20, rangeSize: 10 });
    const leaseS = 3;
    const engine = sending.engine({ leaseS });
    await until(() => sink.messages.length === 2, 'two messages wait for their replies');
    sending.engine({ leaseS });
    const { now } = await control.one<{ now: Date }>(sql`select clock_timestamp() as now`);
    let isStopped = false;
    const stopped = engine.stop().then(() => {
      isStopped = true;
    });
    // As if nearly all of their time had passed.
    await control.run(sql`
      update facteur.connection_permit
      set held_until = held_until - ${permitLeaseMs - leaseS * 1_000} * interval '1 ms'`);
    const isOver = async () =>
      (
        await control.one<{ is: boolean }>(sql`
        select clock_timestamp() > ${now}::timestamptz + ${2 * leaseS} * interval '1 s' as is`)
      ).is;
    await until(isOver, 'the time of two leases has passed');
    expect([isStopped, sink.messages.length]).toEqual([false, 2]);
    answer();
    await stopped;
    expect((await sendingFinished(test.db, made, 20_000)).receipts).toEqual({ 1: 20 });
    expect(sink.messages).toHaveLength(20);
    expect(sink.peak()).toBeLessThanOrEqual(2);
  } finally {
    await sending.end();
  }
});

it('an engine that stops gives a reply up after its patience, and reports the message as uncertain', async () => {
  const test = await testApp({ operations: [] });
  const sending = new SendingTester(test);
  sending.atEnd(() => test.close());
  try {
    const sink = await sending.relay({ maxConnections: 1, misdeed: () => 'takeAndHang' });
    const made = await makeSending(test.db, { recipients: 1 });
    const engine = sending.engine({ graceMs: 100 });
    await until(() => sink.messages.length === 1, 'the message waits for its reply');
    await engine.stop();
    sending.engine();
    expect((await sendingFinished(test.db, made)).receipts).toEqual({ 4: 1 });
  } finally {
    await sending.end();
  }
});
