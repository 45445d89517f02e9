import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeSubscribers, makeTarget } from '../../testing/campaign-makers.ts';
import { failingTargets } from '../../testing/failing-targets.ts';
import { makeAbTest } from '../../testing/make-ab-test.ts';
import { makeJob, makeOpenRange, makeReceipts } from '../../testing/make-sent.ts';
import { jobsOf, waitingTasks } from '../../testing/sending-campaign.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import type { Misdeed } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';
import { findJob, moveJob } from '../job-store.ts';
import { generateJob } from '../tasks/generate-job.ts';

describe('resendToFailed', () => {
  let t: TestApp;
  let sending: SendingTester;
  beforeAll(async () => {
    t = await testApp();
    sending = new SendingTester(t);
  });
  afterEach(() => sending.end());
  afterAll(() => t.close());

  let made = 1_000;
  const resend = (
    {
      idCampaign,
      idJob,
      includeUncertain,
    }: { idCampaign: number; idJob?: number; includeUncertain?: boolean },
    as: 'editor' | 'sender' = 'sender',
  ) => t.call('POST', '/campaigns/resend-failed', { body: { idCampaign, idJob, includeUncertain }, as });
  const generate = (idJob: number) =>
    generateJob.run(t.app, { idSite: t.db.site.id, idJob }, new AbortController().signal);
  const ended = (idJob: number) =>
    until(async () => Boolean((await findJob(t.db, idJob))?.endedAt), `job ${idJob} has ended`);
  const recipientsOf = async (idJob: number) => {
    const rows = await t.db.rows<{ ids: number[] }>(sql`
      select subscribers as ids from ${t.db.t.recipient_range} where id_job = ${idJob} order by number`);
    return rows.flatMap(({ ids }) => ids);
  };

  /** A campaign to new subscribers that has been sent, to the end, with these results; the ids are counted from 1. */
  async function sent(results: Parameters<typeof makeReceipts>[3], count = 6) {
    const base = made;
    made += 100;
    const id = (n: number) => base + n;
    await makeSubscribers(
      t.db,
      Array.from({ length: count }, (_, index) => id(index + 1)),
    );
    const idCampaign = await makeCampaign(t.db);
    await makeSegment(t.db, idCampaign, { idTarget: await makeTarget(t.db, { name: 'All' }) });
    const { idJob, idsSent } = await makeJob(t.db, { idCampaign });
    await t.db.run(sql`
      update ${t.db.t.sending} set id_segment = (select id from ${t.db.t.segment} where id_campaign = ${idCampaign})
      where id_campaign = ${idCampaign}`);
    const of = Object.fromEntries(
      Object.entries(results).map(([state, ids]) => [state, (ids as number[]).map(id)]),
    );
    await makeReceipts(t.db, idJob, idsSent[0]!, of as unknown as Parameters<typeof makeReceipts>[3]);
    return { idCampaign, idJob, idSent: idsSent[0]!, id };
  }

  it('200: the recipients who failed, and no one else, get the message once', async () => {
    const base = made;
    made += 100;
    const address = (n: number) => `${base + n}@example.org`;
    await makeSubscribers(
      t.db,
      [1, 2, 3, 4, 5, 6].map((n) => base + n),
    );
    const wrongs = new Map<string, Misdeed>([
      [address(2), 'refuseData'],
      [address(3), 'refuseData'],
      [address(4), 'takeAndTear'],
      [address(5), { rcpt: '550 5.1.1 no such user' }],
    ]);
    const sink = await sending.relay({
      misdeed: (to, attempt) => (attempt === 1 ? wrongs.get(to) : undefined),
    });
    sending.engine();
    const target = await makeTarget(t.db, { ids: [1, 2, 3, 4, 5, 6].map((n) => base + n) });
    const idCampaign = await makeCampaign(t.db);
    await makeSegment(t.db, idCampaign, { idTarget: target });
    await t.call('POST', '/campaigns/send-now', { body: idCampaign });
    const first = (await jobsOf(t.db, idCampaign))[0]!.id;
    await generate(first);
    await ended(first);
    const taken = () => sink.messages.map(({ to }) => to).sort();
    expect(taken()).toEqual([1, 4, 6].map(address));
    // Unsubscribed since: eligibility is checked again.
    await t.db.run(sql`update ${t.db.t.subscriber} set fld7 = 1 where fld0 = ${base + 3}`);
    await t.db.run(sql`update ${t.db.t.subscriber} set fld44 = 2 where fld0 = ${base + 5}`);

    const replies = await Promise.all([1, 2, 3].map(() => resend({ idCampaign, idJob: first })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const second = replies.find(({ status }) => status === 200)!.data;
    expect(await findJob(t.db, second)).toMatchObject({ state: 'Programmed', resendOf: first });
    await generate(second);
    await generate(second);
    expect(await recipientsOf(second)).toEqual([base + 2]);
    await ended(second);
    expect(taken()).toEqual([1, 2, 4, 6].map(address));
    expect(await findJob(t.db, second)).toMatchObject({ state: 'Finished' });
    // The same call once more, long after.
    expect(await resend({ idCampaign, idJob: first })).toMatchObject({
      status: 409,
      error: `idJob: ${first} is not the latest job of the campaign; its latest job is ${second}`,
    });
    expect(await resend({ idCampaign, idJob: second })).toMatchObject({
      status: 409,
      error: `idJob: no failed or expired recipient of job ${first} is left who may receive messages`,
    });
    // Only on request: the uncertain recipient did receive it.
    const third = await resend({ idCampaign, idJob: second, includeUncertain: true });
    expect(third.status).toBe(200);
    await generate(third.data);
    await ended(third.data);
    expect(taken()).toEqual([1, 2, 4, 4, 6].map(address));
    const statistics = await t.call('GET', '/statistics/campaign', { query: { idCampaign } });
    // Six of the first job, of whom two were accepted and one bounced; one and one of the resends.
    expect(statistics.data).toMatchObject({ nbAddressToSend: 8, nbHardBounces: 1, nbAddressSent: 5 });
  });

  it('200 for a killed generation, which is repeated and loses no recipient', async () => {
    const { idCampaign, idJob, id } = await sent({ accepted: [1], refused: [2, 3], expired: [4] });
    const { data } = await resend({ idCampaign, idJob });
    // What a process leaves that was killed while it froze the audience.
    await moveJob(t.db, data, 'Generating');
    await generate(data);
    expect(await recipientsOf(data)).toEqual([2, 3, 4].map(id));
    expect(await waitingTasks(t.db, data)).toHaveLength(1);
  });

  it('200 for a resend that was stopped: its recipients are still unreached', async () => {
    const { idCampaign, idJob, id } = await sent({ accepted: [1], refused: [2, 3] });
    const second = (await resend({ idCampaign, idJob })).data;
    await generate(second);
    const { idSent } = await t.db.one<{ idSent: number }>(sql`
      select id as "idSent" from ${t.db.t.sent} where id_job = ${second}`);
    await t.db.run(sql`delete from ${t.db.t.recipient_range} where id_job = ${second}`);
    await moveJob(t.db, second, 'Stopped', { endedAt: t.clock.now() });
    await makeReceipts(t.db, second, idSent, { accepted: [id(2)], uncertain: [] });
    const third = await resend({ idCampaign, idJob: second });
    expect([third.status, third.error]).toEqual([200, null]);
    await generate(third.data);
    expect(await recipientsOf(third.data)).toEqual([id(3)]);
  });

  it("200 for an A/B test: the remainder's recipients get the winner's message at once", async () => {
    const abTest = await makeAbTest(t, { size: 2 });
    const { idCampaign, idJob, idsSent } = abTest;
    const ranges = await t.db.rows<{ idSent: number; ids: number[] }>(sql`
      select id_sent as "idSent", subscribers as ids from ${t.db.t.recipient_range} where id_job = ${idJob}`);
    await t.db.run(sql`delete from ${t.db.t.recipient_range} where id_job = ${idJob}`);
    for (const { idSent, ids } of ranges)
      await makeReceipts(t.db, idJob, idSent, { accepted: ids.slice(1), refused: ids.slice(0, 1) });
    await t.db.run(sql`
      update ${t.db.t.ab_test} set id_winner = ${idsSent[1]!}, decided_at = now(), results = '[]'
      where id_job = ${idJob}`);
    await moveJob(t.db, idJob, 'FinishedWithErrors', { endedAt: t.clock.now() });
    const { data } = await resend({ idCampaign, idJob });
    await generate(data);
    const messages = await t.db.rows(sql`
      select s.position, r.subscribers, r.not_before as "notBefore", one ->> 'subject' as subject
      from ${t.db.t.recipient_range} r
        join ${t.db.t.sent} s on s.id = r.id_sent
        join ${t.db.t.job} j on j.id = r.id_job
        join jsonb_array_elements(j.frozen -> 'sents') one on (one #>> '{conf,idSent}')::int = s.id
      where r.id_job = ${data} order by s.position`);
    const first = (idSent: number) => ranges.find((range) => range.idSent === idSent)!.ids.slice(0, 1);
    expect(messages).toEqual([
      { position: 1, subscribers: first(idsSent[0]!), notBefore: null, subject: 'Subject A' },
      { position: 2, subscribers: first(idsSent[1]!), notBefore: null, subject: 'Subject B' },
      { position: 3, subscribers: first(idsSent[2]!), notBefore: null, subject: 'Subject B' },
    ]);
  });

  it('400 for a body without a job', async () => {
    expect((await resend({ idCampaign: 1 })).status).toBe(400);
  });

  it('403 for an editor, who may not send', async () => {
    const { idCampaign, idJob } = await sent({ accepted: [], refused: [1] });
    expect((await resend({ idCampaign, idJob }, 'editor')).status).toBe(403);
  });

  it('404 for an unknown campaign', async () => {
    expect(await resend({ idCampaign: 999_999, idJob: 1 })).toMatchObject({
      status: 404,
      error: 'Campaign not found',
    });
  });

  it('409 when the campaign has not been sent', async () => {
    const idCampaign = await makeCampaign(t.db);
    expect(await resend({ idCampaign, idJob: 7 })).toMatchObject({
      status: 409,
      error: 'idJob: job 7 has no recipients; the campaign has not been sent',
    });
  });

  it('409 while recipients of a stopped job still have no final state, and while a campaign is paused', async () => {
    const { idCampaign, idJob, idSent, id } = await sent({ accepted: [], refused: [1] });
    const at = t.clock.now();
    await makeOpenRange(t.db, idJob, idSent, { subscribers: [id(2)], accepted: [], at });
    expect(await resend({ idCampaign, idJob })).toMatchObject({
      status: 409,
      error: `idJob: job ${idJob} still has recipients without a final state; try again in a moment`,
    });
    await t.db.run(sql`update ${t.db.t.campaign} set schedule_state = 'Paused' where id = ${idCampaign}`);
    expect(await resend({ idCampaign, idJob })).toMatchObject({
      status: 409,
      error: 'The campaign is paused; resume it or stop it before you resend it',
    });
  });

  it('409 when the segment of a failed recipient was excluded since', async () => {
    const { idCampaign, idJob } = await sent({ accepted: [], refused: [1, 2] });
    await t.db.run(sql`
      update ${t.db.t.segment} set is_excluded = true where id_campaign = ${idCampaign}`);
    await makeSegment(t.db, idCampaign, { idTarget: await makeTarget(t.db) });
    expect(await resend({ idCampaign, idJob })).toMatchObject({
      status: 409,
      error: expect.stringContaining(
        "2 recipients belong to segment 'All', which the campaign no longer sends to",
      ),
    });
  });

  it('422 for a target that is not safe, 503 for one that cannot be checked now', async () => {
    const unsafe = await sent({ accepted: [], refused: [1] });
    await targetIs(unsafe.idCampaign, await makeTarget(t.db, { isSafe: false }));
    expect((await resend(unsafe)).status).toBe(422);
    const away = await sent({ accepted: [], refused: [1] });
    const idTarget = (await failingTargets(t))[503];
    await targetIs(away.idCampaign, idTarget);
    const filters = [{ idField: 7, operator: 'Equal', value: '0' }];
    await t.call('PUT', '/targets/filters/field', { body: { idTarget, isEnabled: true, filters } });
    expect((await resend(away)).status).toBe(503);
  });

  const targetIs = (idCampaign: number, idTarget: number) =>
    t.db.run(sql`update ${t.db.t.segment} set id_target = ${idTarget} where id_campaign = ${idCampaign}`);
});
