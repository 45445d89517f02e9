import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bounceClasses } from '../../activity/bounce.ts';
import { recordBounce } from '../../activity/bounce-store.ts';
import { countersOfSents } from '../../activity/counter-store.ts';
import { markRefused } from '../../activity/mark-refused.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { type MadeSending, makeSending, sendingFinished, sendingResult } from '../../testing/make-sending.ts';
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

/** Sends it with an engine until the job has ended. */
async function send(made: MadeSending): Promise<void> {
  const engine = sending.engine();
  await sendingFinished(test.db, made);
  await engine.stop();
}

const mark = () => markRefused.run(test.app, {}, new AbortController().signal);
const bounces = (made: MadeSending) =>
  test.db.rows<{ email: string; class: number; status: string; diagnostic: string }>(sql`
    select s.fld1 as email, b.class, b.status, b.diagnostic
    from ${test.db.t.bounce} b join ${test.db.t.subscriber} s on s.fld0 = b.id_subscriber
    where b.id_sent = ${made.idSent} order by email`);
const states = async (made: MadeSending) =>
  test.db.rows<{ email: string; state: number; at: Date | null }>(sql`
    select fld1 as email, fld44 as state, fld45 as at from ${test.db.t.subscriber}
    where fld1 like ${`r%-${made.idJob}@%`} and fld44 <> 0 order by fld1`);

const answers: Readonly<Record<string, string>> = {
  r1: '550 5.1.1 no such user',
  r2: '550 5.7.1 not wanted here',
  r3: '552 5.2.2 mailbox full',
  r4: '550 no such user here',
  r5: '550 go away',
  r6: '554 5.7.1 relay access denied',
};
const answered = (to: string) => {
  const rcpt = answers[to.split('-')[0]!];
  return rcpt === undefined ? undefined : { rcpt };
};

describe('a mailbox that the relay refuses permanently', () => {
  it('is a hard bounce, a full one a soft bounce, once; a rejection for another reason is not a bounce', async () => {
    const sink = await sending.relay({ misdeed: answered });
    const made = await makeSending(test.db, { recipients: 10 });
    await send(made);
    expect((await sendingResult(test.db, made)).receipts).toEqual({ 1: 4, 2: 6 });
    const name = (n: number) => `r${n}-${made.idJob}@example.org`;
    const found = [
      { email: name(1), class: 1, status: '5.1.1', diagnostic: answers.r1 },
      { email: name(3), class: 2, status: '5.2.2', diagnostic: answers.r3 },
      { email: name(4), class: 1, status: '', diagnostic: answers.r4 },
    ];
    expect((await bounces(made)).map((one) => ({ ...one }))).toMatchObject(
      found.map((one) => ({ ...one, diagnostic: expect.stringContaining(one.diagnostic!.slice(4)) })),
    );
    await mark();
    const at = test.clock.now();
    const marked = [
      { email: name(1), state: 2, at },
      { email: name(3), state: 1, at },
      { email: name(4), state: 2, at },
    ];
    expect(await states(made)).toEqual(marked);
    expect((await countersOfSents(test.db, [made.idSent])).get(made.idSent)).toMatchObject({
      nbAddressSent: 7,
      nbHardBounces: 2,
      nbSoftBounces: 1,
      nbTotalBounces: 3,
      nbDelivered: 4,
    });
    expect(sink.messages).toHaveLength(4);
  });

  it('is a normal result of its job, like a bounce from a report: the job is Finished', async () => {
    await sending.relay({
      misdeed: (to) => (/^r[12]-/.test(to) ? { rcpt: '550 5.1.1 no such user' } : undefined),
    });
    const made = await makeSending(test.db, { recipients: 5 });
    await send(made);
    const told = () =>
      test.db.one(
        sql`select state, error_info as "errorInfo" from ${test.db.t.job} where id = ${made.idJob}`,
      );
    expect(await told()).toEqual({ state: 'Finished', errorInfo: null });
    expect(await bounces(made)).toHaveLength(2);
  });

  it('is no error beside one; the job says of both in words', async () => {
    await sending.relay({ misdeed: answered });
    const made = await makeSending(test.db, { recipients: 10 });
    await send(made);
    const { t } = test.db;
    expect(
      await test.db.one(sql`select state, error_info as "errorInfo" from ${t.job} where id = ${made.idJob}`),
    ).toEqual({
      state: 'FinishedWithErrors',
      errorInfo:
        '3 refused (not for the mailbox: the sender, the content, a policy), besides 3 bounced, which is no error',
    });
  });

  it('gets no message of the next campaign', async () => {
    await sending.relay({ misdeed: answered });
    const made = await makeSending(test.db, { recipients: 3 });
    await send(made);
    await mark();
    const next = await makeSending(test.db, { recipients: 1 });
    // The next campaign was frozen with all recipients of the first.
    await test.db.run(sql`
      update ${test.db.t.recipient_range} r set subscribers = before.subscribers
      from ${test.db.t.recipient_range} before
      where r.id_job = ${next.idJob} and before.id_job = ${made.idJob}`);
    const sink = await sending.relay({ misdeed: answered });
    await send(next);
    expect((await sendingResult(test.db, next)).receipts).toEqual({ 2: 2, 5: 1 });
    expect(sink.commands.filter((line) => line.startsWith('RCPT TO:<r1-'))).toEqual([]);
  });

  it('is marked by the job that the end of the sending requests', async () => {
    await sending.relay({ misdeed: answered });
    const asked = sql`
      select j.payload from graphile_worker._private_jobs j
      join graphile_worker._private_tasks k on k.id = j.task_id where k.identifier = 'markRefused'`;
    const before = (await test.app.control.rows(asked)).length;
    await send(await makeSending(test.db, { recipients: 1 }));
    const after = await test.app.control.rows(asked);
    expect(after.slice(before)).toEqual([{ payload: { idSite: test.db.site.id } }]);
  });

  it('counts once with a report that comes later, and what a user writes since stays', async () => {
    await sending.relay({ misdeed: answered });
    const made = await makeSending(test.db, { recipients: 1 });
    await send(made);
    const [{ id }] = (await test.db.rows<{ id: number }>(sql`
      select fld0 as id from ${test.db.t.subscriber} where fld1 like ${`r1-${made.idJob}@%`}`)) as [
      { id: number },
    ];
    const report = { idSent: made.idSent, idSubscriber: id, class: bounceClasses.hard, status: '5.1.1' };
    await recordBounce(test.db, { ...report, diagnostic: '', at: new Date(), digest: randomBytes(32) });
    expect((await countersOfSents(test.db, [made.idSent])).get(made.idSent)).toMatchObject({
      nbAddressSent: 1,
      nbHardBounces: 1,
      nbTotalBounces: 1,
      nbDelivered: 0,
    });
    await mark();
    expect(await states(made)).toHaveLength(1);
    await test.db.run(sql`update ${test.db.t.subscriber} set fld44 = 0 where fld0 = ${id}`);
    await mark();
    expect(await states(made)).toEqual([]);
  });

  it('is known after a kill -9 at any moment, once', async () => {
    const isDead = (to: string) => Number(/\d+/.exec(to)?.[0]) % 3 === 0;
    await sending.relay({ misdeed: (to) => (isDead(to) ? 'refuse' : undefined) });
    const made = await makeSending(test.db, { recipients: 900, rangeSize: 300 });
    let worker = sending.worker();
    for (const mark of [30, 130, 230]) {
      await until(async () => (await bounces(made)).length >= mark, `${mark} bounces`);
      await worker.end('SIGKILL');
      worker = sending.worker();
    }
    await sendingFinished(test.db, made);
    const refused = await test.db.rows<{ email: string }>(sql`
      select s.fld1 as email from ${test.db.t.receipt} r join ${test.db.t.subscriber} s on s.fld0 = r.id_subscriber
      where r.id_sent = ${made.idSent} and r.state = 2 order by email`);
    // Uncertain ones are at most those in flight at each kill; a bounce is beside each refusal, and nowhere else.
    expect((await bounces(made)).map(({ email }) => email)).toEqual(refused.map(({ email }) => email));
    expect(refused.every(({ email }) => isDead(email))).toBe(true);
    expect(refused.length).toBeGreaterThanOrEqual(300 - 3 * 4);
    await mark();
    expect((await states(made)).map(({ email }) => email)).toEqual(refused.map(({ email }) => email));
  });
});
