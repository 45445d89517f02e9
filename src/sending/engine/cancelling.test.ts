import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { Hold } from '../../testing/hold.ts';
import { type MadeSending, makeSending } from '../../testing/make-sending.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import { until } from '../../testing/until.ts';
import { moveJob, offerJob } from '../job-store.ts';

let test: TestApp;
let sending: SendingTester;
beforeAll(async () => {
  test = await testApp();
  sending = new SendingTester(test);
});
afterAll(async () => {
  await sending.end();
  await test.close();
});

/** Makes the closing of one range of a job wait for an advisory lock. */
async function makeWait({ idJob }: MadeSending, number: number): Promise<void> {
  const { schema } = test.db.site;
  await test.app.control.pool.query(`
    create function ${schema}.wait_for_lock() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(17); return new; end $$`);
  await test.app.control.pool.query(`
    create trigger wait_for_lock before update on ${schema}.recipient_range for each row
      when (new.is_done and new.id_job = ${idJob} and new.number = ${number})
      execute function ${schema}.wait_for_lock()`);
}

it('a job begins while a large one that was stopped is cancelled', { timeout: 150_000 }, async () => {
  const sink = await sending.relay();
  const stopped = await makeSending(test.db, { recipients: 60, rangeSize: 1 });
  await moveJob(test.db, stopped.idJob, 'Stopped');
  await offerJob(test.db, stopped.idJob);
  const next = await makeSending(test.db, { recipients: 5 });
  expect(next.idJob).toBeGreaterThan(stopped.idJob);
  await makeWait(stopped, 40);
  const hold = await Hold.of(test.connection, 'select pg_advisory_xact_lock(17)');
  sending.engine();
  await hold.reached();
  await until(() => sink.messages.length === 5, 'the other job is sent meanwhile').finally(() =>
    hold.letGo(),
  );
  const left = () => test.app.control.rows(sql`select 1 from facteur.sending_job`);
  await until(async () => (await left()).length === 0, 'both are over');
  const { receipts } = await test.db.one<{ receipts: number }>(sql`
    select count(*)::int as receipts from ${test.db.t.receipt} where id_sent = ${stopped.idSent} and state = 5`);
  expect(receipts).toBe(60);
});
