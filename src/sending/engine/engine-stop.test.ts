import { expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { testApp } from '../../testing/app.ts';
import { Hold } from '../../testing/hold.ts';
import { makeSending, sendingResult } from '../../testing/make-sending.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import { until } from '../../testing/until.ts';

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
    await until(async () => (await held()).length === 0, 'the ranges are given back').finally(() =>
      hold.letGo(),
    );
    await stopped;
    expect(sink.messages.length).toBeLessThan(1_000);
    expect((await sendingResult(test.db, made)).open).toBe(1);
  } finally {
    await sending.end();
  }
});
