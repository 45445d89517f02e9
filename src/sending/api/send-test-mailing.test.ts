import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeSubscribers, makeTarget } from '../../testing/campaign-makers.ts';
import { whileHeld } from '../../testing/held.ts';
import { jobsOf, makeReadyCampaign, waitingTasks } from '../../testing/sending-campaign.ts';
import { sendingOperations as operations } from '../operations.ts';

describe('sendTestMailing', () => {
  let t: TestApp;
  let idTestTarget: number;
  beforeAll(async () => {
    t = await testApp({ operations });
    idTestTarget = await makeTarget(t.db, { isTestTarget: true, isSafe: false, ids: [1] });
  });
  afterAll(() => t.close());

  const send = (id: number, as: 'editor' | 'sender' = 'sender') =>
    t.call('POST', '/campaigns/test-mailing', { body: id, as });

  it('200 true, with a test job at once; the campaign stays where it is', async () => {
    const id = await makeReadyCampaign(t.db, { parameters: { name: 'a', idTestTarget } });
    expect(await send(id)).toMatchObject({ status: 200, data: true });
    const [job] = await jobsOf(t.db, id);
    expect(job).toMatchObject({ state: 'Programmed', isTest: true, idSegment: null, campaignState: 'None' });
    expect(await waitingTasks(t.db, job!.id)).toEqual([{ runAt: new Date('2026-11-20T10:00:00Z') }]);
  });

  it('200 as often as one likes, also beside a real sending', async () => {
    const id = await makeReadyCampaign(t.db, { parameters: { name: 'a', idTestTarget } });
    await t.call('POST', '/campaigns/send-now', { body: id });
    const replies = await Promise.all([send(id), send(id)]);
    expect(replies.map((reply) => reply.status)).toEqual([200, 200]);
    expect((await jobsOf(t.db, id)).map((job) => job.isTest)).toEqual([false, true, true]);
  });

  it('200 without an unsubscribe link and with targets that are not safe', async () => {
    const id = await makeCampaign(t.db, { parameters: { name: 'a', idTestTarget } });
    await t.db.run(sql`update ${t.db.t.sending_configuration} set footer_html = ''`);
    await makeSegment(t.db, id, { idTarget: await makeTarget(t.db, { isSafe: false }) });
    expect((await send(id)).status).toBe(200);
  });

  it('403 for an editor', async () => {
    expect((await send(1, 'editor')).status).toBe(403);
  });

  it('404 for an unknown campaign', async () => {
    expect((await send(999_999)).error).toBe('Campaign not found');
  });

  it('409 while sending is held, and there is no job', async () => {
    const id = await makeReadyCampaign(t.db, { parameters: { name: 'a', idTestTarget } });
    const reply = await whileHeld(t, 'the database is a copy', () => send(id));
    expect(reply).toMatchObject({
      status: 409,
      error: 'Sending is held: the database is a copy. The operator must adopt this installation first',
    });
    expect(await jobsOf(t.db, id)).toEqual([]);
    expect((await send(id)).status).toBe(200);
  });

  it('422 without a test target, or with one that is none any more', async () => {
    expect(await send(await makeReadyCampaign(t.db))).toMatchObject({
      status: 422,
      error: 'The campaign has no test target',
    });
    const plain = await makeTarget(t.db);
    const id = await makeReadyCampaign(t.db, { parameters: { name: 'a', idTestTarget: plain } });
    expect(await send(id)).toMatchObject({ status: 422, error: `Target ${plain} is not a test target` });
  });

  it('422 names what is missing', async () => {
    const id = await makeCampaign(t.db, { parameters: { name: 'a', idTestTarget }, htmlContent: '[[FOO]]' });
    const reply = await send(id);
    expect(reply.status).toBe(422);
    expect(reply.error).toMatch(/^The test mailing is not ready: .*\[\[FOO\]\].*no segment$/);
  });

  it('422 for an unknown tag in a prefix, which no real sending waits for', async () => {
    const id = await makeReadyCampaign(t.db, { parameters: { name: 'a', idTestTarget } });
    await t.db.run(sql`update ${t.db.t.sending_configuration} set object_prefix_bat = '[[NAME]] '`);
    const reply = await send(id);
    await t.db.run(sql`update ${t.db.t.sending_configuration} set object_prefix_bat = ''`);
    expect([reply.status, reply.error]).toEqual([
      422,
      expect.stringMatching(/a test prefix holds \[\[NAME\]\]/),
    ]);
    expect(await jobsOf(t.db, id)).toEqual([]);
  });

  it('422 for more than 200 testers who may receive', async () => {
    const ids = Array.from({ length: 202 }, (_, n) => n + 1_000);
    await makeSubscribers(t.db, ids);
    await t.db.run(sql`update ${t.db.t.subscriber} set fld7 = 1 where fld0 in (1000, 1001)`);
    const everybody = await makeTarget(t.db, { isTestTarget: true, isSafe: false });
    const id = await makeReadyCampaign(t.db, { parameters: { name: 'a', idTestTarget: everybody } });
    expect((await send(id)).status).toBe(200);
    await t.db.run(sql`update ${t.db.t.subscriber} set fld7 = 0 where fld0 = 1000`);
    expect(await send(id)).toMatchObject({
      status: 422,
      error: 'The test target selects more than 200 subscribers; restrict it to your testers',
    });
  });
});
