import { createTransport } from 'nodemailer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeReturnPath } from '../activity/return-path.ts';
import type { Alert } from '../alerts/alert.ts';
import { notifyAlert } from '../alerts/notify-alert.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeCampaign } from '../testing/campaign-makers.ts';
import { type MadeSending, makeSending } from '../testing/make-sending.ts';
import { makeJob, makeReceipts } from '../testing/make-sent.ts';
import { complaint } from '../testing/reports.ts';
import { SendingTester } from '../testing/sending-tester.ts';
import type { SmtpSink } from '../testing/smtp-sink.ts';
import { until } from '../testing/until.ts';
import { checkComplaints, reviewAlerts } from './check-complaints.ts';
import { type SmtpListener, startSmtpListener } from './smtp-listener.ts';

const gmail = 1;
const hourMs = 3_600_000;

// Complaints come by SMTP, messages leave by SMTP; only the clock and the queue are the test's.
describe('complaints', () => {
  let t: TestApp;
  let sending: SendingTester;
  let sink: SmtpSink;
  let listener: SmtpListener;
  beforeEach(async () => {
    t = await testApp();
    sending = new SendingTester(t);
    sink = await sending.relay({ keepRaw: true });
    listener = await startSmtpListener(t.app, 0);
  });
  afterEach(async () => {
    await listener.close();
    await sending.end();
    await t.close();
  });

  /** Sends complaints about received messages over SMTP, and judges them. */
  async function complain(returnPaths: readonly string[]): Promise<void> {
    const transport = createTransport({ host: '127.0.0.1', port: listener.port, ignoreTLS: true });
    for (const to of returnPaths)
      await transport.sendMail({ envelope: { from: '', to: [to] }, raw: complaint({ to }) });
    transport.close();
    const asked = await t.db.rows(sql`
      select from graphile_worker._private_jobs j join graphile_worker._private_tasks task on task.id = j.task_id
      where task.identifier = ${checkComplaints.name}`);
    expect(asked).toHaveLength(1);
    await checkComplaints.run(t.app, { idSite: t.db.site.id }, new AbortController().signal);
  }

  const review = () => reviewAlerts.run(t.app, {}, new AbortController().signal);
  const alerts = async (isOpen = true): Promise<Alert[]> =>
    (await t.call('GET', '/admin/v1/alerts', { query: { isOpen } })).data;
  const toGmail = (of: MadeSending) =>
    sink.messages
      .filter(({ to }) => to.endsWith(`-${of.idJob}@gmail.com`))
      .map(({ to, from }) => ({ to, from }));
  const toOthers = (of: MadeSending) =>
    sink.messages.filter(({ to }) => to.endsWith(`-${of.idJob}@example.org`)).length;
  const jobOf = ({ idJob }: MadeSending) =>
    t.db.one<{ state: string; why: string | null }>(sql`
      select state, error_info as why from ${t.db.t.job} where id = ${idJob}`);
  const finished = (of: MadeSending) =>
    until(async () => (await jobOf(of)).state === 'Finished', 'the job has finished');
  const half = { domain: 'gmail.com', domainOfEveryOther: 'example.org' };

  /** A sending of 400 messages, half of them to Gmail, five of whose readers complain. */
  async function annoy(): Promise<MadeSending> {
    const first = await makeSending(t.db, { recipients: 400, ...half });
    sending.engine();
    await finished(first);
    await complain(
      toGmail(first)
        .slice(0, 5)
        .map(({ from }) => from),
    );
    return first;
  }

  it('of the last hour suspend the pair, notify the administrators, and release it when the rate falls', async () => {
    await annoy();
    const [alert, ...more] = await alerts();
    expect(more).toEqual([]);
    expect(alert).toMatchObject({
      groupName: 'news.example.com',
      faiName: 'Gmail',
      siteName: 'demo',
      nbSent: 200,
      nbComplaints: 5,
      complaintRate: 2.5,
      level: 2,
      nbHours: 1,
      isSuspended: true,
      engagementDate: null,
    });
    const id = alert!.idSendingGroupRemoval;
    expect((await t.call('POST', `/alerts/${id}/unlock`, { as: 'sender' })).status).toBe(409);

    const payload = { idSite: t.db.site.id, id, level: 2 };
    for (let n = 0; n < 2; n += 1) await notifyAlert.run(t.app, payload, new AbortController().signal);
    const notices = sink.messages.filter(({ raw }) => String(raw).includes('Sending suspended'));
    expect(notices.length).toBe(2);
    expect(new Set(notices.map(({ messageId }) => messageId)).size).toBe(1);
    expect(String(notices[0]!.raw).replaceAll(/=\r\n/g, '')).toContain('5 of 200 messages');

    const second = await makeSending(t.db, { recipients: 20, ...half });
    await until(() => toOthers(second) === 10, 'those of other providers have theirs');
    await until(async () => (await jobOf(second)).why !== null, 'the job says why it waits');
    expect(await jobOf(second)).toEqual({
      state: 'Sending',
      why: `Sending is suspended because of complaints at Gmail (alert ${id}); the messages wait`,
    });
    expect(toGmail(second)).toEqual([]);

    await review();
    expect(await alerts()).toHaveLength(1);
    t.clock.advance(hourMs + 60_000);
    await review();
    expect(await alerts()).toEqual([]);
    expect(await alerts(false)).toMatchObject([{ isSuspended: false, endDate: t.clock.now().toISOString() }]);
    await finished(second);
    expect(new Set(toGmail(second).map(({ to }) => to)).size).toBe(10);
    expect(toGmail(second)).toHaveLength(10);
    expect((await jobOf(second)).why).toBeNull();
  });

  it('hold through kill -9 and in every process; nobody gets a message twice', async () => {
    await annoy();
    await sending.end();
    sending = new SendingTester(t);
    sink = await sending.relay();
    const second = await makeSending(t.db, { recipients: 40, rangeSize: 4, ...half });
    const [killed, other] = [sending.worker(), sending.worker()];
    await Promise.all([killed.ready(), other.ready()]);
    // Received is not enough: a process killed before it has recorded the reply leaves the message uncertain.
    const recorded = sql`
      select coalesce(sum(cardinality(outcomes)), 0)::int from ${t.db.t.send_log} where id_job = ${second.idJob}`;
    await until(async () => (await t.db.value(recorded)) === 20, 'those of other providers have theirs');
    expect(toOthers(second)).toBe(20);
    await until(async () => (await jobOf(second)).why !== null, 'the job says why it waits');
    await Promise.all([killed.end('SIGKILL'), other.end('SIGKILL')]);
    await t.db.run(sql`update ${t.db.t.job} set error_info = null where id = ${second.idJob}`);
    await sending.worker().ready();
    await until(async () => (await jobOf(second)).why !== null, 'the next process says why it waits');
    expect(toGmail(second)).toEqual([]);
    await t.app.control.run(sql`update facteur.alert set ended_at = now()`);
    await until(() => toGmail(second).length === 20, 'the others have left');
    await finished(second);
    expect(sink.messages).toHaveLength(40);
    expect(new Set(sink.messages.map(({ to }) => to)).size).toBe(40);
  });

  it('hold back single messages too', async () => {
    await annoy();
    const { id } = await t.db.one<{ id: number }>(sql`
      insert into ${t.db.t.subscriber} (fld1) values ('solo@gmail.com') returning fld0 as id`);
    const campaignId = await makeCampaign(t.db);
    await t.app.control.run(sql`update facteur.alert set sender_domain = 'example.com'`);
    const asked = await t.call('POST', '/campaigns/send-to-subscriber', {
      body: { campaignId, subscriberId: id },
    });
    expect([asked.status, asked.error]).toEqual([200, null]);
    const waits = sql`
      select from ${t.db.t.single_message} where next_at > ${new Date(t.clock.now().getTime() + 10_000)}`;
    await until(async () => (await t.db.rows(waits)).length === 1, 'the message waits');
    expect(sink.messages.filter(({ to }) => to === 'solo@gmail.com')).toEqual([]);
    t.clock.advance(hourMs + 60_000);
    await review();
    const hasLeft = () => {
      // The engine looks again after 30 s of the service's clock.
      t.clock.advance(30_000);
      return sink.messages.some(({ to }) => to === 'solo@gmail.com');
    };
    await until(hasLeft, 'the message has left');
  });

  it('of a day suspend the pair until somebody unlocks it; then only what follows counts', async () => {
    const { idJob, idsSent } = await makeJob(t.db, { startedAt: t.clock.now() });
    const idSent = idsSent[0]!;
    const people = await t.db.rows<{ id: number }>(sql`
      insert into ${t.db.t.subscriber} (fld1) select 'd' || n || '@gmail.com' from generate_series(1, 1000) n
      returning fld0 as id`);
    const accepted = people.map(({ id }) => id);
    const at = new Date(t.clock.now().getTime() - 3 * hourMs);
    await makeReceipts(t.db, idJob, idSent, { accepted, providerOf: () => gmail, at });
    const returnPath = (idSubscriber: number) =>
      makeReturnPath(t.app.secrets, { idSite: t.db.site.id, idSent, idSubscriber }, 'mail.test');
    await complain(accepted.slice(0, 9).map(returnPath));
    expect(await alerts()).toEqual([]);
    await complain(accepted.slice(9, 10).map(returnPath));
    const [alert] = await alerts();
    expect(alert).toMatchObject({ level: 3, nbHours: 24, nbSent: 1_000, nbComplaints: 10, complaintRate: 1 });
    const id = alert!.idSendingGroupRemoval;

    const unlock = (as: 'reader' | 'sender' = 'sender') => t.call('POST', `/alerts/${id}/unlock`, { as });
    expect((await unlock('reader')).status).toBe(403);
    const unlockedAt = t.clock.now().toISOString();
    const unlocked = await unlock();
    expect(unlocked).toMatchObject({
      status: 200,
      data: {
        idSendingGroupRemoval: id,
        isSuspended: true,
        engagementDate: unlockedAt,
        engagementEmail: expect.stringContaining('@'),
        scheduledActivationDate: new Date(t.clock.now().getTime() + hourMs).toISOString(),
      },
    });
    t.clock.advance(60_000);
    expect((await unlock()).data).toEqual(unlocked.data);
    expect((await t.call('GET', `/alerts/${id}`, { as: 'reader' })).data).toEqual(unlocked.data);

    const sent = await makeSending(t.db, { recipients: 4, ...half });
    sending.engine();
    await until(() => toOthers(sent) === 2, 'those of other providers have theirs');
    await until(async () => (await jobOf(sent)).why !== null, 'the job says why it waits');
    t.clock.advance(hourMs);
    await finished(sent);
    expect(toGmail(sent)).toHaveLength(2);
    await review();
    expect(await alerts()).toEqual([]);
    await complain(toGmail(sent).map(({ from }) => from));
    expect(await alerts()).toEqual([]);
  });
});
