import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { setFilter } from '../../targets/filter-store.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import {
  makeCampaign,
  makeConfiguration,
  makeSegment,
  makeSubscribers,
  makeTarget,
} from '../../testing/campaign-makers.ts';
import { makeAd } from '../../testing/make-advertisement.ts';
import { holdFileLoad, holdRanges, holdSents, jobsOf, programmed } from '../../testing/sending-campaign.ts';
import { findJob, frozenJob } from '../job-store.ts';

// Other calls change the sources of a job, or its campaign, during its generation.
describe('a generation that is stalled', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ config: { sendDelayS: 0 } });
    await makeSubscribers(t.db, [1, 2, 3]);
  });
  afterAll(() => t.close());

  it('freezes what it judged, whatever is changed in the meantime', async () => {
    const idConfiguration = await makeConfiguration(t.db);
    const htmlContent = '<p>[[ENCART.1]]</p>';
    const id = await makeCampaign(t.db, {
      htmlContent,
      parameters: { name: 'Spring', subject: 'It is here', idConfiguration },
    });
    await makeSegment(t.db, id, { idTarget: await makeTarget(t.db) });
    const idAd = await makeAd(t.db, 'An ad as it was');
    const placement = { body: { position: 1, idAdvertisement: idAd } };
    expect((await t.call('PUT', `/campaigns/${id}/segments/1/advertisement`, placement)).error).toBe(null);
    const { idJob, generate } = await programmed(t, id);
    const hold = await holdSents(t);
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

  it('sends to nobody by a target that is no longer safe when its file is loaded', async () => {
    const id = await makeCampaign(t.db);
    const idTarget = await makeTarget(t.db);
    await makeSegment(t.db, id, { idTarget });
    const { idJob, generate } = await programmed(t, id);
    const hold = await holdFileLoad(t, idTarget, '1\n2\n3\n');
    const generating = generate();
    await hold.reached();
    const anybody = { body: { idTarget, isEnabled: false, filters: [] } };
    expect((await t.call('PUT', '/targets/filters/field', anybody)).error).toBe(null);
    await hold.letGo();
    await generating;
    expect(await jobsOf(t.db, id)).toMatchObject([{ state: 'Error', campaignState: 'Error' }]);
    const errorInfo = `targets that are not safe (notSafeTargetIds: ${idTarget})`;
    expect(await findJob(t.db, idJob)).toMatchObject({ errorInfo, isFrozen: false });
  });

  it('delays no call: changes of its campaign are rejected immediately, other calls work', async () => {
    const id = await makeCampaign(t.db, { htmlContent: '<a href="https://shop.example/">Shop</a>' });
    const idTarget = await makeTarget(t.db);
    await makeSegment(t.db, id, { idTarget });
    const { generate } = await programmed(t, id);
    const hold = await holdSents(t);
    const generating = generate();
    await hold.reached();
    const segment = { body: { name: 'New', idTarget, percent: 100, fixedValues: 0 } };
    const changed = await Promise.all([
      t.call('PUT', '/campaigns', { body: { id, parameters: { subject: 'New' } } }),
      t.call('PUT', `/campaigns/${id}/segments/1`, segment),
      t.call('POST', `/campaigns/${id}/segments`, segment),
    ]);
    const error = expect.stringContaining('The campaign is InProgress and cannot be changed; stop it first');
    for (const reply of changed) expect(reply).toMatchObject({ status: 409, error });
    const again = await t.call('POST', '/campaigns/send-now', { body: id });
    expect(again).toMatchObject({
      status: 409,
      error: 'The campaign is already being sent; stop it before you schedule it again',
    });
    expect((await t.call('DELETE', `/targets/${idTarget}`)).status).toBe(409);
    const tracked = await Promise.all([
      t.call('POST', '/campaigns/tracked-links', { body: id }),
      t.call('POST', `/campaigns/${id}/tracked-links`, { body: { url: 'https://shop.example/' } }),
      t.call('GET', `/campaigns/${id}/tracked-links/default`),
    ]);
    for (const reply of tracked) expect(reply).toMatchObject({ status: 200 });
    await hold.letGo();
    await generating;
    expect(await jobsOf(t.db, id)).toMatchObject([{ state: 'Sending', campaignState: 'InProgress' }]);
  });

  it('does not begin again because its segments are counted', async () => {
    const id = await makeCampaign(t.db);
    const idTarget = await makeTarget(t.db);
    // In a transaction that reads from one snapshot.
    await setFilter(t.db, { idTarget, kind: 'sql', isEnabled: true, definition: { sql: 'fld0 > 1' } });
    await makeSegment(t.db, id, { idTarget });
    const { idJob, generate } = await programmed(t, id);
    const hold = await holdRanges(t);
    const generating = generate();
    await hold.reached();
    const drawn = () => t.db.one(sql`select last_value from ${t.db.name('sent_id_seq')}`);
    const before = await drawn();
    const counted = await t.call('GET', `/campaigns/${id}/segments/count`);
    expect(counted).toMatchObject({ status: 200, data: [{ segmentCount: 2 }] });
    await hold.letGo();
    await generating;
    expect(await findJob(t.db, idJob)).toMatchObject({ state: 'Sending', errorInfo: null });
    expect(await drawn()).toEqual(before);
  });

  it('counts the tracked links that are in its messages, each once', async () => {
    const link = (path: string) => `<a href="https://shop.example/${path}">${path}</a>`;
    const id = await makeCampaign(t.db, { htmlContent: link('gone') + link('kept') });
    const idTarget = await makeTarget(t.db);
    for (let n = 0; n < 2; n++) await makeSegment(t.db, id, { idTarget });
    const track = () => t.call('POST', '/campaigns/tracked-links', { body: id });
    expect((await track()).error).toBe(null);
    const change = { id, parameters: {}, htmlContent: link('kept') + link('kept') + link('new') };
    expect((await t.call('PUT', '/campaigns', { body: change })).error).toBe(null);
    await track();
    const { idJob, generate } = await programmed(t, id);
    await generate();
    const row = sql`select nb_links as "nbLinks" from ${t.db.t.job} where id = ${idJob}`;
    expect(await t.db.one(row)).toEqual({ nbLinks: 2 });
  });
});
