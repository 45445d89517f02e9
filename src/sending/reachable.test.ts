import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRoute } from '../accounts/route-store.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeSubscribers, makeTarget } from '../testing/campaign-makers.ts';
import { jobsOf, makeReadyCampaign } from '../testing/sending-campaign.ts';
import type { FrozenJob } from './frozen-job.ts';
import { findJob } from './job-store.ts';
import { sendingOperations as operations } from './operations.ts';
import { generateJob } from './tasks/generate-job.ts';

const relay = (host: string) => ({ host, port: 587, tls: 'none' }) as const;
const why = 'Readers could not reach the links and the unsubscribe page at http://localhost:3000: ';

describe('an installation that readers cannot reach', () => {
  let t: TestApp;
  let id: number;
  beforeAll(async () => {
    t = await testApp({ operations, publicUrl: 'http://localhost:3000', config: { sendDelayS: 0 } });
    await makeSubscribers(t.db, [1, 2]);
    const idTestTarget = await makeTarget(t.db, { isTestTarget: true, ids: [1] });
    id = await makeReadyCampaign(t.db, { parameters: { name: 'a', idTestTarget } });
  });
  afterAll(() => t.close());

  const route = (host: string) => createRoute(t.app.control, t.app.secrets, t.db.site.id, relay(host));
  const send = () => t.call('POST', '/campaigns/send-now', { body: id });
  const generate = (idJob: number) =>
    generateJob.run(t.app, { idSite: t.db.site.id, idJob }, new AbortController().signal);

  it('sends into its mailbox and to relays of its own, by a real relay tests only', async () => {
    await route('127.0.0.1');
    expect((await send()).status).toBe(200);
    const [job] = await jobsOf(t.db, id);
    await route('relay.example.com');
    // Asked again: the relay came in the half minute between.
    await generate(job!.id);
    expect(await findJob(t.db, job!.id)).toMatchObject({
      state: 'Error',
      errorInfo: expect.stringContaining(why),
    });
    expect(await send()).toMatchObject({ status: 422, error: expect.stringContaining(why) });
    expect((await t.call('POST', '/campaigns/test-mailing', { body: id })).status).toBe(200);
    const test = (await jobsOf(t.db, id)).at(-1)!;
    await generate(test.id);
    expect(await findJob(t.db, test.id)).toMatchObject({ isTest: true, state: 'Sending' });
  });
});

describe('an address that is plain http', () => {
  it.each([
    [undefined, true],
    ['127.0.0.1', false],
    ['relay.example.com', false],
  ])('by relay %s: one click %s', async (host, hasOneClick) => {
    const t = await testApp({ operations, config: { sendDelayS: 0 } });
    await makeSubscribers(t.db, [1]);
    const id = await makeReadyCampaign(t.db);
    if (host) await createRoute(t.app.control, t.app.secrets, t.db.site.id, relay(host));
    await t.call('POST', '/campaigns/send-now', { body: id });
    const idJob = (await jobsOf(t.db, id))[0]!.id;
    await generateJob.run(t.app, { idSite: t.db.site.id, idJob }, new AbortController().signal);
    const { frozen } = await t.db.one<{ frozen: FrozenJob }>(sql`select frozen from ${t.db.t.job}`);
    expect(frozen.source).toMatchObject({ hasListUnsubscribe: true, hasOneClick });
    await t.close();
  });
});
