import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../platform/db/database.ts';
import { SiteDb } from '../../platform/db/site-db.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { freePort } from '../../testing/free-port.ts';
import { makeSending, sendingResult } from '../../testing/make-sending.ts';
import { addRelay, SendingTester } from '../../testing/sending-tester.ts';
import { until } from '../../testing/until.ts';
import { moveJob } from '../job-store.ts';
import { GroupCommit } from './group-commit.ts';
import { standardRetry } from './outcomes.ts';
import { RangeRun } from './range-run.ts';

let test: TestApp;
let sending: SendingTester;
beforeAll(async () => {
  test = await testApp();
  sending = new SendingTester(test);
});
afterEach(() => sending.end());
afterAll(() => test.close());

describe('a relay that is unavailable', () => {
  it('is left for the one that administration puts in its place, by the job that waits', async () => {
    await sending.routeTo(await freePort());
    const made = await makeSending(test.db, { recipients: 20 });
    sending.engine();
    await until(
      async () => (await test.db.rows(leased(made.idJob))).length > 0,
      'the job is at work and cannot send',
    );
    const sink = await sending.sink();
    await test.app.control.run(sql`update facteur.route set port = ${sink.port}`);
    await until(async () => (await sendingResult(test.db, made)).state === 'Finished', 'the job ends');
    expect(sink.messages).toHaveLength(20);
  });

  it('does not keep a stopped job from its end, when the stop came while recipients were read', async () => {
    await sending.routeTo(await freePort());
    const made = await makeSending(test.db, { recipients: 20 });
    await test.db.transaction(async (tx) => {
      // Anyone who reads recipients waits for this transaction's end.
      await tx.run(sql`lock table ${tx.t.subscriber} in access exclusive mode`);
      sending.engine();
      await until(async () => (await test.db.rows(waiting)).length > 0, 'recipients are being read');
      await moveJob(test.db, made.idJob, 'Stopped');
      const [{ commit }] = (await test.db.rows<{ commit: number }>(lastCommit(made.idJob))) as [
        { commit: number },
      ];
      await until(
        async () => (await test.db.one<{ commit: number }>(lastCommit(made.idJob))).commit > commit + 1,
        'the engine has seen the stop',
      );
    });
    await until(async () => (await sendingResult(test.db, made)).open === 0, 'everybody has a final state');
    expect((await sendingResult(test.db, made)).receipts).toEqual({ 5: 20 });
  });

  // The last one here: its jobs wait on.
  it('does not keep another site from sending, however many jobs wait for it', async () => {
    const sink = await sending.sink();
    await sending.routeTo(await freePort());
    await addRelay(test.otherDb, sink.port, { maxConnections: 2 });
    for (let n = 0; n < 40; n++) await makeSending(test.db, { recipients: 1 });
    const open = () =>
      test.db.rows(sql`select from ${test.db.t.recipient_range} where lease_owner is not null`);
    sending.engine();
    await until(async () => (await open()).length >= 8, 'as many jobs wait as one site may have at work');
    const made = await makeSending(test.otherDb, { recipients: 20 });
    await until(async () => (await sendingResult(test.otherDb, made)).state === 'Finished', 'the job ends');
    expect(sink.messages).toHaveLength(20);
    expect((await open()).length).toBeLessThanOrEqual(8);
  });

  const leased = (idJob: number) => sql`
    select number from ${test.db.t.recipient_range} where id_job = ${idJob} and lease_owner is not null`;
  const lastCommit = (idJob: number) => sql`
    select last_commit as commit from ${test.db.t.recipient_range} where id_job = ${idJob}`;
  const waiting = sql`
    select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
});

describe('a commit that fails', () => {
  it('makes an open range in-doubt, but not one that was released in the meantime', async () => {
    const away = openDatabase({ host: '127.0.0.1', port: await freePort() }, () => undefined);
    sending.atEnd(() => away.pool.end());
    const failed: number[] = [];
    const commit = new GroupCommit(
      new SiteDb(away, test.db.site),
      { owner: 'me', leaseS: 20 },
      () => new Date(),
      { committed: () => {}, fenced: () => {}, failed: (run) => failed.push(run.number) },
    );
    const [open, released] = [1, 2].map((number) => {
      const range = {
        idJob: 1,
        number,
        idSent: 1,
        subscribers: [1],
        epoch: 1,
        lastCommit: 0,
        resumedAt: null,
      };
      return new RangeRun(range, [], standardRetry);
    }) as [RangeRun, RangeRun];
    commit.touch(open);
    commit.touch(released);
    // As JobRun does when all who are left wait for a later attempt.
    commit.leave(released);
    await commit.idle();
    expect(commit.isInDoubt).toBe(true);
    expect([open.status, released.status]).toEqual(['in-doubt', 'gone']);
    expect(failed).toEqual([1]);
  });
});
