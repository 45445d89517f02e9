import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSubscribers } from '../../testing/campaign-makers.ts';
import { makeJob } from '../../testing/make-sent.ts';
import { Pregeneration } from '../../testing/pregeneration.ts';

describe('pregenerateHtml', () => {
  let t: TestApp;
  let made: Pregeneration;
  beforeAll(async () => {
    t = await testApp({ publicUrl: 'https://mail.test' });
    await makeSubscribers(t.db, [1, 2]);
    made = new Pregeneration(t);
  });
  afterAll(() => t.close());

  const call = (query: Record<string, number>) =>
    t.call('POST', '/html-pregeneration', { query: { idSent: 0, idJob: 0, ...query }, as: 'reader' });

  const whole =
    '<p>Head</p><p>[[FLD.1]] <b>Block</b> <i>Ad</i> <a href="https://shop.example/">x</a></p>' +
    '<a href="[[LINK.UNSUB]]">Unsubscribe</a>';

  it('200 with the HTML of a sending before the tags of readers, whatever was changed since', async () => {
    const { id, idJob, idSent } = await made.generated();
    await made.block('Changed');
    expect(await call({ idCampaign: id, idSent, idJob })).toMatchObject({ status: 200, data: whole });
    expect((await call({ idCampaign: id, idSent })).data).toBe(whole);
  });

  it('200 with the current HTML of the campaign, without a sending', async () => {
    const id = await made.campaign();
    await made.block('Now');
    expect((await call({ idCampaign: id })).data).toBe(whole.replace('Block', 'Now'));
  });

  it('404 for a campaign, a sending or a job that does not belong to the others', async () => {
    const { id, idJob, idSent } = await made.generated();
    const other = await made.generated();
    expect(await call({ idCampaign: 999 })).toMatchObject({ status: 404, error: 'Campaign not found' });
    expect(await call({ idCampaign: other.id, idSent })).toMatchObject({ error: 'idSent: Sent not found' });
    expect(await call({ idCampaign: id, idSent, idJob: other.idJob })).toMatchObject({
      error: 'idJob: Job not found',
    });
    expect(await call({ idCampaign: id, idJob })).toMatchObject({ status: 404 });
  });

  it('409 for a sending that has no messages', async () => {
    const { idCampaign, idsSent } = await makeJob(t.db);
    expect((await call({ idCampaign, idSent: idsSent[0]! })).status).toBe(409);
  });

  it('422 when the message cannot be made', async () => {
    const id = await made.campaign('[[FLD.999]]');
    expect(await call({ idCampaign: id })).toMatchObject({
      status: 422,
      error: 'The message cannot be made: [[FLD.999]]: there is no field 999',
    });
  });
});
