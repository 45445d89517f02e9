import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import {
  makeCampaign,
  makeConfiguration,
  makeSegment,
  makeSubscribers,
  makeTarget,
} from '../../testing/campaign-makers.ts';
import type { MessagePreview } from '../preview.ts';

describe('previewDraft', () => {
  let t: TestApp;
  let id: number;
  beforeAll(async () => {
    t = await testApp({ publicUrl: 'https://mail.test' });
    await makeSubscribers(t.db, [1, 2]);
    id = await makeCampaign(t.db);
    await makeSegment(t.db, id, { idTarget: await makeTarget(t.db) });
  });
  afterAll(() => t.close());

  const preview = (body: object, of = id, position = 1) =>
    t.call('POST', `/campaigns/${of}/segments/${position}/preview`, { body, as: 'reader' });

  it('200 with the contents of the body, which are not stored', async () => {
    const stored = async () => (await t.call('GET', `/campaigns/${id}`)).data;
    const before = await stored();
    const htmlContent = '<p>Dear [[FLD.1]]</p><a href="https://new.example/">New</a>';
    const reply = await preview({ htmlContent, subject: 'For [[FLD.1]]', senderAlias: 'Shop' });
    expect([reply.status, reply.error]).toEqual([200, null]);
    const shown = reply.data as MessagePreview;
    expect(shown).toMatchObject({ idSubscriber: 1, subject: 'For 1@example.org' });
    expect(shown.html).toContain('<p>Dear 1@example.org</p>');
    expect(shown.links).toContainEqual({ url: 'https://new.example/', isTracked: false });
    expect(shown.headers).toContainEqual({ name: 'From', value: '"Shop" <news@example.com>' });
    expect(await stored()).toEqual(before);
  });

  it('200 with the tags of the preheader filled', async () => {
    const preheader = 'Only for [[FLD.1]] & <you>';
    const { data } = await preview({ preheader, htmlContent: '<p>Hello</p>' });
    expect(data).toMatchObject({ preheader: 'Only for 1@example.org & <you>' });
    // Without HTML, no mail program shows one.
    const parameters = { name: 'Plain', subject: 'Hi', hasTextMessage: true };
    const plain = await makeCampaign(t.db, { parameters, htmlContent: '', textContent: 'Hi', preheader });
    await makeSegment(t.db, plain, { idTarget: await makeTarget(t.db, { name: 'Others' }) });
    expect((await preview({}, plain)).data).toMatchObject({ html: null, preheader: '' });
  });

  it('200 for a reader by id and by address, and with another configuration', async () => {
    expect((await preview({ idSubscriber: 2 })).data).toMatchObject({ email: '2@example.org' });
    expect((await preview({ email: '2@EXAMPLE.org' })).data).toMatchObject({ idSubscriber: 2 });
    const idConfiguration = await makeConfiguration(t.db, '<p>Another footer</p>');
    expect(((await preview({ idConfiguration })).data as MessagePreview).html).toContain('Another footer');
  });

  it('400 for a subscriber and an address at once', async () => {
    expect(await preview({ idSubscriber: 2, email: 'a@b.example' })).toMatchObject({
      status: 400,
      error: 'email: cannot be combined with idSubscriber; give one of them',
    });
  });

  it('404 for an unknown campaign, segment, reader or configuration', async () => {
    expect(await preview({}, 999)).toMatchObject({ status: 404, error: 'Campaign not found' });
    expect(await preview({}, id, 9)).toMatchObject({ status: 404 });
    expect(await preview({ idSubscriber: 99 })).toMatchObject({ status: 404 });
    expect(await preview({ idConfiguration: 999 })).toMatchObject({ status: 404 });
  });

  it('422 for a tag that cannot be filled', async () => {
    expect(await preview({ htmlContent: '[[FLD.999]]' })).toMatchObject({
      status: 422,
      error: expect.stringContaining('[[FLD.999]]: there is no field 999'),
    });
  });
});
