import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hitKinds } from '../../activity/hit.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { Hold } from '../../testing/hold.ts';
import { abTestNow, makeAbTest } from '../../testing/make-ab-test.ts';
import { makeHit, makeHits } from '../../testing/make-activity.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import type { SmtpSink } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';

let t: TestApp;
let sending: SendingTester;
let sink: SmtpSink;
beforeAll(async () => {
  t = await testApp();
});
beforeEach(async () => {
  sending = new SendingTester(t);
  sink = await sending.relay({ keepRaw: true });
});
afterEach(() => sending.end());
afterAll(() => t.close());

const subjects = () => sink.messages.map((one) => /^Subject: (.*?)\r$/m.exec(String(one.raw))?.[1]);

describe('kill -9', () => {
  it('during the choice undoes it, and two other processes make it once', async () => {
    const made = await makeAbTest(t);
    const engine = sending.engine();
    await until(async () => (await abTestNow(t.db, made)).dueAt !== null, 'the variants are sent');
    await engine.stop();
    const [, idB, idRemainder] = made.idsSent;
    const { t: tables } = t.db;
    const { ids } = await t.db.one<{ ids: number[] }>(sql`
      select subscribers as ids from ${tables.recipient_range} where id_sent = ${idB}`);
    await makeHits(t.db, [makeHit(idB!, ids[0]!, hitKinds.open)]);
    // The choice comes to this row when everything else of it is written.
    const hold = await Hold.of(
      t.connection,
      `select from site_demo.recipient_range where id_sent = ${idRemainder} for update`,
    );
    await t.db.run(sql`
      update ${tables.ab_test} set due_at = timestamptz '2000-01-01' where id_job = ${made.idJob}`);
    // The other processes have the clock of the machine, by which the variants were sent just now.
    await t.db.run(sql`update ${tables.job} set tried_at = clock_timestamp() where id = ${made.idJob}`);
    const worker = sending.worker();
    await hold.reached();
    await worker.end('SIGKILL');
    await hold.letGo();
    // PostgreSQL notices that the client has disconnected, and rolls back.
    const others = sql`
      select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`;
    await until(async () => (await t.db.rows(others)).length === 0, 'the transaction is over');
    expect(await abTestNow(t.db, made)).toMatchObject({ state: 'Sending', decidedAt: null, held: 1 });
    expect(sink.messages).toHaveLength(120);
    for (let n = 0; n < 2; n++) sending.worker();
    await until(async () => (await abTestNow(t.db, made)).state === 'Finished', 'the end');
    expect(await abTestNow(t.db, made)).toMatchObject({ idWinner: idB, held: 0 });
    expect(subjects().slice(120)).toEqual(Array(60).fill('Subject B'));
    expect(new Set(sink.messages.map((one) => one.to)).size).toBe(180);
    const { n } = await t.db.one<{ n: number }>(sql`
      select jsonb_array_length(frozen -> 'sents') as n from ${tables.job} where id = ${made.idJob}`);
    expect(n).toBe(3);
  });
});
