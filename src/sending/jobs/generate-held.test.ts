import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import {
  makeCampaign,
  makeConfiguration,
  makeSegment,
  makeSubscribers,
  makeTarget,
} from '../../testing/campaign-makers.ts';
import { Hold } from '../../testing/hold.ts';
import { makeAd } from '../../testing/make-advertisement.ts';
import { jobsOf } from '../../testing/sending-campaign.ts';
import { frozenJob } from '../job-store.ts';
import { generateJob } from './generate-job.ts';

// Others change what a job is made of, or its campaign, in the midst of its generation.
describe('a generation that stands still', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ config: { sendDelayS: 0 } });
    await makeSubscribers(t.db, [1, 2, 3]);
  });
  afterAll(() => t.close());

  async function programmed(idCampaign: number): Promise<{ idJob: number; generate: () => Promise<void> }> {
    expect((await t.call('POST', '/campaigns/send-now', { body: idCampaign })).error).toBe(null);
    const idJob = (await jobsOf(t.db, idCampaign)).at(-1)!.id;
    const payload = { idSite: t.db.site.id, idJob };
    return { idJob, generate: () => generateJob.run(t.app, payload, new AbortController().signal) };
  }
  /** Where the sents of a job are made: behind its judgement, before its audience. */
  const holdSents = () => Hold.of(t.connection, `lock table ${t.db.site.schema}.sending in exclusive mode`);

  it('freezes what it judged, whatever is changed meanwhile', async () => {
    const idConfiguration = await makeConfiguration(t.db);
    const htmlContent = '<p>[[ENCART.1]]</p>';
    const id = await makeCampaign(t.db, {
      htmlContent,
      parameters: { name: 'Spring', subject: 'It is here', idConfiguration },
    });
    await makeSegment(t.db, id, { idTarget: await makeTarget(t.db) });
    const idAd = await makeAd(t.db, 'An ad as it was');
    const placing = { body: { position: 1, idAdvertisement: idAd } };
    expect((await t.call('PUT', `/campaigns/${id}/segments/1/advertisement`, placing)).error).toBe(null);
    const { idJob, generate } = await programmed(id);
    const hold = await holdSents();
    const generating = generate();
    await hold.reached();
    const footer = { id: idConfiguration, footerHtml: '<p>No way out</p>', footerTxt: 'No way out' };
    const changed = await t.call('PUT', '/sending-configurations', { body: footer });
    expect(changed.error).toBe(null);
    const ad = { id: idAd, html: '[[FLD.999]]' };
    expect((await t.call('PUT', '/advertisements', { body: ad })).error).toBe(null);
    await hold.letGo();
    await generating;
    expect(await jobsOf(t.db, id)).toMatchObject([{ state: 'Sending' }]);
    const frozen = JSON.stringify(await frozenJob(t.db, idJob));
    expect(frozen).toContain('[[LINK.UNSUB]]');
    expect(frozen).toContain('An ad as it was');
    expect(frozen).not.toContain('No way out');
  });

  it('is told to calls that would change its campaign, instead of holding their connections', async () => {
    const id = await makeCampaign(t.db);
    const idTarget = await makeTarget(t.db);
    await makeSegment(t.db, id, { idTarget });
    const { generate } = await programmed(id);
    const hold = await holdSents();
    const generating = generate();
    await hold.reached();
    const segment = { body: { name: 'New', idTarget, percent: 100, fixedValues: 0 } };
    const replies = await Promise.all([
      t.call('POST', '/campaigns/stop', { body: id }),
      t.call('POST', '/campaigns/pause', { body: id }),
      t.call('PUT', '/campaigns', { body: { id, parameters: { subject: 'New' } } }),
      t.call('PUT', `/campaigns/${id}/segments/1`, segment),
      t.call('POST', '/campaigns/tracked-links', { body: id }),
      t.call('POST', `/campaigns/${id}/tracked-links`, { body: { url: 'https://shop.example/' } }),
      t.call('GET', `/campaigns/${id}/tracked-links/default`),
    ]);
    const error = expect.stringContaining(`Campaign ${id} is being generated`);
    for (const reply of replies) expect(reply).toMatchObject({ status: 409, error });
    await hold.letGo();
    await generating;
    expect((await t.call('POST', '/campaigns/stop', { body: id })).status).toBe(200);
    expect(await jobsOf(t.db, id)).toMatchObject([{ state: 'Stopped', campaignState: 'Stopped' }]);
  });

  it('counts the tracked links that stand in its messages, each once', async () => {
    const link = (path: string) => `<a href="https://shop.example/${path}">${path}</a>`;
    const id = await makeCampaign(t.db, { htmlContent: link('gone') + link('kept') });
    const idTarget = await makeTarget(t.db);
    for (let n = 0; n < 2; n++) await makeSegment(t.db, id, { idTarget });
    const track = () => t.call('POST', '/campaigns/tracked-links', { body: id });
    expect((await track()).error).toBe(null);
    const change = { id, parameters: {}, htmlContent: link('kept') + link('kept') + link('new') };
    expect((await t.call('PUT', '/campaigns', { body: change })).error).toBe(null);
    await track();
    const { idJob, generate } = await programmed(id);
    await generate();
    const row = sql`select nb_links as "nbLinks" from ${t.db.t.job} where id = ${idJob}`;
    expect(await t.db.one(row)).toEqual({ nbLinks: 2 });
  });
});
