import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CampaignReply } from '../../campaigns/campaign.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSubscribers } from '../../testing/campaign-makers.ts';
import { jobsOf } from '../../testing/sending-campaign.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import type { SmtpSink } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';
import type { Sent } from '../sent.ts';
import { generateJob } from '../tasks/generate-job.ts';

const idOf = (made: { id: number } | number) => (typeof made === 'number' ? made : made.id);

// The whole way over the operations, with the real engine and a real mail server: what the parts promise each other.
describe('a campaign, from its making to its end', () => {
  let t: TestApp;
  let sink: SmtpSink;
  let sending: SendingTester;
  let idConfiguration: number;
  let idTarget: number;
  let idTestTarget: number;

  beforeAll(async () => {
    t = await testApp();
    sending = new SendingTester(t);
    sink = await sending.relay({ keepRaw: true, delayMs: 2 });
    await makeSubscribers(
      t.db,
      Array.from({ length: 600 }, (_, index) => index + 1),
    );
    sending.engine();
    idConfiguration = await made('/sending-configurations', {
      name: 'News',
      senderEMail: 'news@example.com',
      senderAlias: 'Ada',
      responseEMail: 'answers@example.com',
      footerHtml: '<a href="[[LINK.UNSUB]]">Unsubscribe</a>',
      objectPrefixBAT: '[TEST] ',
    });
    idTarget = await target({ name: 'Readers' }, []);
    idTestTarget = await target({ name: 'Testers', isTestTarget: true }, [
      { idField: 0, operator: 'In', value: '1;2' },
    ]);
  });
  afterEach(() => {
    sink.messages.splice(0);
  });
  afterAll(async () => {
    await sending.end();
    await t.close();
  });

  async function made(path: string, body: object, query = {}): Promise<number> {
    const reply = await t.call('POST', path, { body, query });
    expect([path, reply.status, reply.error]).toEqual([path, 200, null]);
    return idOf(reply.data);
  }

  async function target(body: object, more: readonly object[]): Promise<number> {
    const id = await made('/targets', body);
    const filters = [{ idField: 7, operator: 'Equal', value: '0' }, ...more];
    const reply = await t.call('PUT', '/targets/filters/field', {
      body: { idTarget: id, isEnabled: true, filters },
    });
    expect(reply.data).toBe(true);
    return id;
  }

  async function campaign(): Promise<number> {
    const body = {
      parameters: { name: 'Spring', subject: 'Hello [[FLD.1]]', idConfiguration, idTestTarget },
      htmlContent: '<p>Hello</p><a href="https://example.com/shop">Shop</a>',
    };
    const id = await made('/campaigns', body, { trackAllLinks: true });
    const segment = { idTarget, percent: 100, fixedValues: 0 };
    await made(`/campaigns/${id}/segments`, { ...segment, name: 'Some', percent: 50, mailObject: 'For you' });
    await made(`/campaigns/${id}/segments`, { ...segment, name: 'Rest' });
    return id;
  }

  const act = async (path: string, body: unknown, query = {}) =>
    (await t.call('POST', `/campaigns${path}`, { body, query })).status;
  const lastJob = async (id: number) => (await jobsOf(t.db, id)).at(-1)!;
  async function generateLast(id: number): Promise<void> {
    const payload = { idSite: t.db.site.id, idJob: (await lastJob(id)).id };
    await generateJob.run(t.app, payload, new AbortController().signal);
  }
  const untilJobIs = (id: number, state: string) =>
    until(async () => (await lastJob(id)).state === state, `the job is ${state}`);
  const subjects = () => sink.messages.map((one) => /^Subject: (.*?)\r$/m.exec(String(one.raw))?.[1]);
  async function sendings(id: number): Promise<Sent[]> {
    return (await t.call('GET', `/campaigns/${id}/sendings`)).data;
  }

  it('sends a test mailing of all segments to each tester, counted as a test only', async () => {
    const id = await campaign();
    expect(await act('/test-mailing', id)).toBe(200);
    await generateLast(id);
    await untilJobIs(id, 'Finished');
    expect(subjects().sort()).toEqual([
      '[TEST] For you',
      '[TEST] For you',
      '[TEST] Hello 1@example.org',
      '[TEST] Hello 2@example.org',
    ]);
    expect(await sendings(id)).toMatchObject([
      { isTest: true, nbAddressToSend: 2, nbAddressSent: 2 },
      { isTest: true, nbAddressToSend: 2, nbAddressSent: 2 },
    ]);
    const read: CampaignReply = (await t.call('GET', `/campaigns/${id}`)).data;
    expect(read).toMatchObject({ isTracked: true, schedulingInfos: { state: 'None', type: 'None' } });
  });

  it('sends a test mailing of one segment', async () => {
    const id = await campaign();
    expect(await act(`/${id}/test-mailing`, 1)).toBe(200);
    await generateLast(id);
    await untilJobIs(id, 'Finished');
    expect(subjects()).toEqual(['[TEST] For you', '[TEST] For you']);
  });

  it('sends now, pauses, resumes and ends: everybody once, split as counted', async () => {
    const id = await campaign();
    const counts = await t.call('GET', `/campaigns/${id}/segments/count`);
    expect(counts.data).toMatchObject([{ segmentCount: 300 }, { segmentCount: 300 }]);
    expect(await act('/send-now', id)).toBe(200);
    await generateLast(id);
    await until(() => sink.messages.length >= 60, 'it is under way');
    const change = { id, parameters: {}, htmlContent: '<p>Other</p>' };
    expect((await t.call('PUT', '/campaigns', { body: change })).status).toBe(409);
    expect(await act('/pause', id)).toBe(200);
    expect(await lastJob(id)).toMatchObject({ state: 'Paused', campaignState: 'Paused' });
    expect(await act('/send-now', id)).toBe(200);
    await untilJobIs(id, 'Finished');
    expect(await lastJob(id)).toMatchObject({ campaignState: 'Finished' });
    expect(new Set(sink.messages.map((one) => one.to)).size).toBe(600);
    expect(sink.messages).toHaveLength(600);
    const [some, rest] = await sendings(id);
    expect(some).toMatchObject({
      nbAddressToSend: 300,
      nbAddressSent: 300,
      isTest: false,
      filterName: 'Readers',
    });
    expect(rest).toMatchObject({ nbAddressToSend: 300, nbAddressSent: 300, endDate: expect.any(String) });
    expect(rest!.msgHtml).toContain('https://example.com/shop');
    const query = { idCampaign: id, idJob: rest!.idJob };
    const listed = await t.call('GET', '/campaigns/job-sendings', { query });
    expect(listed.data).toMatchObject([
      { campaignName: 'Spring', segment: { position: 1, parameters: { name: 'Some' }, lastCount: 300 } },
      { campaignName: 'Spring', segment: { position: 2, parameters: { name: 'Rest' }, lastCount: 300 } },
    ]);
  });

  it('stops: anyone who is left is cancelled, and it can be sent again', async () => {
    const id = await campaign();
    await act('/send-now', id);
    await generateLast(id);
    await until(() => sink.messages.length >= 60, 'it is under way');
    expect(await act('/stop', id)).toBe(200);
    const { id: idJob } = await lastJob(id);
    const open = sql`select number from ${t.db.t.recipient_range} where id_job = ${idJob} and not is_done`;
    await until(async () => (await t.db.rows(open)).length === 0, 'everybody has a final state');
    const states = await t.db.rows<{ state: number; n: number }>(sql`
      select r.state, count(*) as n from ${t.db.t.receipt} r
      where r.id_sent in (select id from ${t.db.t.sent} where id_job = ${idJob})
      group by r.state order by r.state`);
    const sent = sink.messages.length;
    expect(states).toEqual([
      { state: 1, n: sent },
      { state: 5, n: 600 - sent },
    ]);
    expect(await act('/stop', id)).toBe(409);
    expect(await act('/send-now', id)).toBe(409);
    expect(await act('/send-now', id, { afterJob: idJob })).toBe(200);
    await generateLast(id);
    await untilJobIs(id, 'Finished');
    expect(sink.messages).toHaveLength(sent + 600);
  });

  it('ends in Error, named, when it is no longer ready at its time', async () => {
    const id = await campaign();
    await act('/send-now', id);
    const change = { id, parameters: {}, htmlContent: '<p>[[FOO]]' };
    expect((await t.call('PUT', '/campaigns', { body: change })).status).toBe(200);
    await generateLast(id);
    expect(await lastJob(id)).toMatchObject({ state: 'Error', campaignState: 'Error' });
    const job = await t.db.one(sql`
      select error_info as "errorInfo" from ${t.db.t.job} where id = ${(await lastJob(id)).id}`);
    expect(job).toMatchObject({ errorInfo: expect.stringContaining('[[FOO]]') });
  });
});
