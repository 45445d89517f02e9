import { expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { testApp } from '../../testing/app.ts';
import { makeSending, sendingFinished } from '../../testing/make-sending.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import { until } from '../../testing/until.ts';

it('a process that lost its connections to another one leaves its ranges to that one', async () => {
  const test = await testApp({ operations: [] });
  const sending = new SendingTester(test);
  sending.atEnd(() => test.close());
  try {
    const { control } = test.app;
    const sink = await sending.relay({ delayMs: 5, maxConnections: 2 });
    const made = await makeSending(test.db, { recipients: 1_000, rangeSize: 50 });
    sending.engine({ pollMs: 20, leaseS: 60 });
    await until(() => sink.messages.length > 20, 'the job runs');
    // As if this process had been frozen for longer than its lease of permits.
    await control.run(sql`
      update facteur.connection_permit set owner = 'another', held_until = clock_timestamp() + interval '1 hour'`);
    const held = () =>
      test.db.rows(sql`
        select from ${test.db.t.recipient_range} where id_job = ${made.idJob} and lease_owner is not null`);
    await until(async () => (await held()).length === 0, 'its ranges are released');
    await control.run(sql`delete from facteur.connection_permit`);
    expect((await sendingFinished(test.db, made)).receipts).toEqual({ 1: 1_000 });
    expect(sink.messages).toHaveLength(1_000);
  } finally {
    await sending.end();
  }
});
