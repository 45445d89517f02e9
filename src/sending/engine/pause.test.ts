import { expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { testApp } from '../../testing/app.ts';
import { makeSending, sendingResult } from '../../testing/make-sending.ts';
import { addRelay } from '../../testing/sending-tester.ts';
import { smtpSink } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';
import { moveJob, offerJob } from '../job-store.ts';
import { SendingEngine } from './engine.ts';

it('a job that is paused and resumed 100 times reaches everybody once', async () => {
  const recipients = 5_000;
  const pauses = 100;
  const { app, db, close } = await testApp();
  const sink = await smtpSink();
  const engine = new SendingEngine(app, { pollMs: 20, leaseS: 2 });
  try {
    await addRelay(db, sink.port, { maxConnections: 8 });
    const made = await makeSending(db, { recipients, rangeSize: 500 });
    const isQuiet = async () =>
      (await db.rows(sql`select from ${db.t.recipient_range} where lease_owner is not null`)).length === 0;
    engine.start();
    for (let n = 1; n <= pauses; n++) {
      const mark = Math.floor((recipients * n) / (pauses * 2));
      await until(() => sink.messages.length >= mark, `${mark} messages`);
      await moveJob(db, made.idJob, 'Paused');
      // Every other time the engine has released everything; otherwise, messages are in flight at the resumption.
      if (n % 2 === 0) await until(isQuiet, 'the ranges are released');
      await moveJob(db, made.idJob, 'Sending');
      await db.transaction((tx) => offerJob(tx, made.idJob));
    }
    await until(async () => (await sendingResult(db, made)).state === 'Finished', 'the end');
    expect(sink.messages).toHaveLength(recipients);
    expect(new Set(sink.messages.map(({ to }) => to)).size).toBe(recipients);
    expect((await sendingResult(db, made)).receipts).toEqual({ 1: recipients });
  } finally {
    await engine.stop();
    await sink.close();
    await close();
  }
});
