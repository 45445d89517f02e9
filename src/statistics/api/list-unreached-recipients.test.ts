import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { standardRetry } from '../../sending/engine/outcomes.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSubscribers } from '../../testing/campaign-makers.ts';
import { makeSending, sendingFinished } from '../../testing/make-sending.ts';
import { makeJob, makeOpenRange, makeReceipts } from '../../testing/make-sent.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import { statisticsOperations as operations } from '../operations.ts';

describe('listUnreachedRecipients', () => {
  let t: TestApp;
  const at = new Date('2026-11-19T10:00:00Z');
  beforeAll(async () => {
    t = await testApp({ operations });
    await makeSubscribers(
      t.db,
      Array.from({ length: 200 }, (_, index) => index + 1),
    );
  });
  afterAll(() => t.close());

  const list = (idSent: number, query: Record<string, unknown> = {}) =>
    t.call('GET', `/campaigns/job-sendings/${idSent}/unreached`, { query: query as never, as: 'reader' });
  const idsIn = (data: { idSubscriber: number }[]) => data.map(({ idSubscriber }) => idSubscriber);

  it('200 with the recipients of each state and the reason', async () => {
    const { idJob, idsSent } = await makeJob(t.db);
    const idSent = idsSent[0]!;
    await makeReceipts(t.db, idJob, idSent, {
      accepted: [1],
      refused: [2, 3],
      expired: [4],
      uncertain: [5],
      at,
    });
    await t.db.run(sql`
      insert into ${t.db.t.bounce} (id_sent, id_subscriber, class, status, diagnostic, at, digest, is_refusal)
      values (${idSent}, 2, 1, '5.1.1', '550 5.1.1 no such user', ${at}, 'x', true)`);
    await t.db.run(sql`delete from ${t.db.t.subscriber} where fld0 = 5`);
    const date = at.toISOString();
    expect(await list(idSent)).toMatchObject({
      status: 200,
      typeName: 'UnreachedRecipient[]',
      data: [
        {
          idSubscriber: 2,
          email: '2@example.org',
          state: 'refused',
          code: 550,
          reason: 'the mailbox does not exist: 550 5.1.1 no such user',
          date,
        },
        {
          idSubscriber: 3,
          state: 'refused',
          reason: 'the relay rejected the message permanently, or it could not be built (SMTP code 550)',
        },
        {
          idSubscriber: 4,
          state: 'expired',
          reason: 'the relay kept deferring the message until the time limit (SMTP code 451)',
        },
        {
          idSubscriber: 5,
          email: null,
          state: 'uncertain',
          code: 0,
          reason: 'the reply to the final dot was lost: the message may or may not have arrived',
        },
      ],
    });
    expect(idsIn((await list(idSent, { states: ['uncertain', 'expired'] })).data)).toEqual([4, 5]);
    expect(idsIn((await list(idSent, { states: 'refused' })).data)).toEqual([2, 3]);
  });

  it("200 with the relay's own words, from a real sending", async () => {
    const own = await testApp({ operations });
    const sending = new SendingTester(own);
    const sink = await sending.relay({
      misdeed: (to) => {
        const n = Number(/^r(\d+)-/.exec(to)?.[1]);
        if (n === 2) return 'refuseData';
        if (n === 3) return { rcpt: '550 5.7.1 Blocked, see https://relay.example/why' };
        if (n === 4) return { rcpt: '451 4.7.1 Greylisted' };
        return undefined;
      },
    });
    const made = await makeSending(own.db, { recipients: 4 });
    // Given up at the first deferral.
    sending.engine({ retry: { ...standardRetry, giveUpAfter: 0 } });
    await sendingFinished(own.db, made);
    const reply = await own.call('GET', `/campaigns/job-sendings/${made.idSent}/unreached`);
    const data = reply.data as { state: string; reason: string }[];
    expect(data.map((one) => [one.state, one.reason])).toEqual([
      ['refused', expect.stringMatching(/^the relay rejected the message permanently, .*: 554 /)],
      ['refused', expect.stringContaining(': 550 5.7.1 Blocked, see https://relay.example/why')],
      ['expired', 'the relay kept deferring the message until the time limit: 451 4.7.1 Greylisted'],
    ]);
    expect(sink.messages).toHaveLength(1);
    await sending.end();
    await own.close();
  });

  it('200 page by page over many ranges, those of a running job included', async () => {
    const { idJob, idsSent } = await makeJob(t.db);
    const idSent = idsSent[0]!;
    // A range for every two subscribers: more ranges than are unfolded at once.
    for (let id = 11; id < 171; id += 2)
      await makeReceipts(t.db, idJob, idSent, { accepted: [id], refused: [id + 1], at });
    await makeOpenRange(t.db, idJob, idSent, { subscribers: [171, 172, 173], accepted: [171], at });
    const log = sql`update ${t.db.t.send_log} set states = array[1, 2, 10] where id_job = ${idJob}`;
    await t.db.run(log);
    const expected = [...Array.from({ length: 80 }, (_, index) => 12 + 2 * index), 172];
    const found: number[] = [];
    for (let after = 0, last = false; !last; after = found.at(-1) ?? 0) {
      const page = idsIn((await list(idSent, { after, limit: 7 })).data);
      last = page.length < 7;
      found.push(...page);
    }
    expect(found).toEqual(expected);
    expect(idsIn((await list(idSent, { limit: 1000 })).data)).toEqual(expected);
    expect(idsIn((await list(idSent, { search: '2@EXAMPLE' })).data)).toEqual(
      expected.filter((id) => id % 10 === 2),
    );
    expect(idsIn((await list(idSent, { search: '2@example', after: 152, limit: 1 })).data)).toEqual([162]);
  });

  it('200 with the deferred recipients of a running job, with the last reply', async () => {
    const { idJob, idsSent } = await makeJob(t.db, { state: 'Sending' });
    const idSent = idsSent[0]!;
    await makeOpenRange(t.db, idJob, idSent, { subscribers: [181, 182, 183, 184], accepted: [181], at });
    const { t: own } = t.db;
    const log = async (row: { ids: number[]; states: number[]; codes: number[]; minutes: number }) =>
      t.db.run(sql`
        insert into ${own.send_log} (id_job, range_number, epoch, at, intents, outcomes, states, codes)
        select ${idJob}::int, number, 1, ${new Date(at.getTime() + row.minutes * 60_000)}, '{}', ${row.ids}::int[],
          ${row.states}::smallint[], ${row.codes}::smallint[]
        from ${own.recipient_range} where id_job = ${idJob} and not is_done`);
    await log({ ids: [182, 183, 184], states: [10, 10, 10], codes: [421, 421, 421], minutes: 1 });
    await log({ ids: [182, 183], states: [10, 1], codes: [451, 250], minutes: 6 });
    const reply = await list(idSent, { states: 'deferred' });
    expect(reply.data).toMatchObject([
      {
        idSubscriber: 182,
        state: 'deferred',
        code: 451,
        reason: 'the relay deferred the message, which is retried (SMTP code 451)',
        date: '2026-11-19T10:06:00.000Z',
      },
      { idSubscriber: 184, state: 'deferred', code: 421, date: '2026-11-19T10:01:00.000Z' },
    ]);
    expect(idsIn((await list(idSent, { states: 'deferred', after: 182 })).data)).toEqual([184]);
    // They have no final state, and are not listed unless they are requested.
    expect((await list(idSent)).data).toEqual([]);
  });

  it('200 with an empty list where everybody was reached', async () => {
    const { idJob, idsSent } = await makeJob(t.db);
    await makeReceipts(t.db, idJob, idsSent[0]!, { accepted: [1] });
    expect((await list(idsSent[0]!)).data).toEqual([]);
  });

  it('400 for a state that is not one of them, 404 for an unknown sending', async () => {
    const { idsSent } = await makeJob(t.db);
    expect((await list(idsSent[0]!, { states: 'accepted' })).status).toBe(400);
    expect(await list(999_999)).toMatchObject({ status: 404, error: 'Sent not found' });
  });
});
