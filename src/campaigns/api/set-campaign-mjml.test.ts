import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { picturesOperations } from '../../pictures/operations.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign } from '../../testing/campaign-makers.ts';
import { pictureHost } from '../../testing/listening.ts';
import { onePixel } from '../../testing/make-picture.ts';
import type { CampaignReply } from '../campaign.ts';
import { setScheduleState } from '../campaign-store.ts';
import { campaignsOperations } from '../operations.ts';

const layout = (words: string) =>
  `<mjml><mj-body><mj-section><mj-column><mj-text>${words}</mj-text></mj-column></mj-section></mj-body></mjml>`;
const nested = (depth: number) => `<mjml>${'<b>'.repeat(depth)}${'</b>'.repeat(depth)}</mjml>`;

describe('setCampaignMjml', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: [...campaignsOperations, ...picturesOperations] });
  });
  afterAll(() => t.close());

  const set = (id: number, body: object, as: 'editor' | 'reader' = 'editor') =>
    t.call('PUT', `/campaigns/${id}/mjml`, { body, as });
  const read = async (id: number) => (await t.call('GET', `/campaigns/${id}`)).data as CampaignReply;
  const mjmlOf = async (id: number) => (await t.call('GET', `/campaigns/${id}/mjml`)).data;

  it('200 stores MJML and HTML byte by byte, and nothing else changes', async () => {
    const id = await makeCampaign(t.db, { textContent: 'Text' });
    const before = await read(id);
    const mjml = layout('[[FLD.101|dear reader]]\r\n<br>&nbsp;<a href="[[LINK.UNSUB]]">é 😀</a>');
    const reply = await set(id, { mjml, htmlContent: '<p>é\r\n[[FLD.101]]</p>' });
    expect(reply).toMatchObject({ status: 200, data: { mjml, isCurrent: true }, typeName: 'CampaignMjml' });
    expect(await mjmlOf(id)).toEqual({ mjml, isCurrent: true });
    expect(await read(id)).toEqual({
      ...before,
      htmlContent: '<p>é\r\n[[FLD.101]]</p>',
      lastUpdateDate: '2026-11-20T10:00:00.000Z',
    });
    await set(id, { mjml: layout('b'), htmlContent: 'b' });
    expect(await mjmlOf(id)).toEqual({ mjml: layout('b'), isCurrent: true });
  });

  it('200 with pictures of other hosts copied: the MJML is that of the HTML with their new URLs', async () => {
    const host = await pictureHost({ '/logo.png': onePixel });
    try {
      const id = await makeCampaign(t.db, { autoHostPictures: true });
      const picture = `<img src="${host.url}/logo.png">`;
      const reply = await set(id, { mjml: layout(picture), htmlContent: picture });
      expect(reply).toMatchObject({ status: 200, data: { isCurrent: true } });
      expect((await read(id)).htmlContent).toMatch(/^<img src="http:\/\/mail\.test\/p\//);
      const full = picture.padEnd(2_000_000, 'x');
      expect(await set(id, { mjml: layout('full'), htmlContent: full })).toMatchObject({
        status: 422,
        error: 'htmlContent: with the addresses of hosted pictures it has more than 2000000 characters',
      });
      expect(await mjmlOf(id)).toEqual({ mjml: layout(picture), isCurrent: true });
    } finally {
      await host.close();
    }
  });

  it.each([
    ['nothing', '', 'mjml: must be one <mjml> element'],
    ['a text', 'Hello', 'mjml: must be one <mjml> element'],
    ['HTML', '<p>Hello</p>', 'mjml: must be one <mjml> element'],
    ['two layouts', layout('a') + layout('b'), 'mjml: must be one <mjml> element'],
    ['words behind it', `${layout('a')} b`, 'mjml: must be one <mjml> element'],
    ['an open element', '<mjml><mj-body>', 'mjml: <mj-body> is not closed'],
    ['an element closed too late', '<mjml><mj-body></mjml></mj-body>', 'mjml: <mj-body> is not closed'],
    [
      'one that follows an element that closes itself',
      '<mjml><mj-body><mj-spacer/>',
      'mjml: <mj-body> is not',
    ],
    ['deep elements', nested(200), 'mjml: elements are nested deeper than 200'],
    ['very many open elements', `<mjml>${'<b>'.repeat(600_000)}`, 'mjml: elements are nested deeper'],
    ['too much', layout('x'.repeat(2_000_000)), 'mjml: must have at most 2000000 characters'],
  ])('400 for %s; the campaign stays as it was', async (_, mjml, error) => {
    const id = await makeCampaign(t.db);
    const before = await read(id);
    const reply = await set(id, { mjml, htmlContent: 'new' });
    expect(reply).toMatchObject({ status: 400, error: expect.stringContaining(error) });
    expect([await read(id), await mjmlOf(id)]).toEqual([before, { mjml: '', isCurrent: false }]);
  });

  it('200 for HTML inside that no XML parser takes, comments and self-closing elements', async () => {
    const id = await makeCampaign(t.db);
    const odd = [
      `<!-- a -->\n${layout('<p>a<p>b<br>&nbsp;<img src=x>')}\n`,
      '<mjml><mj-head/><mj-body><mj-spacer /></mj-body></mjml>',
      nested(199),
    ];
    for (const mjml of odd) {
      expect(await set(id, { mjml, htmlContent: 'b' })).toMatchObject({ status: 200, data: { mjml } });
    }
  });

  it('409 while it is sent or paused, and only then', async () => {
    const id = await makeCampaign(t.db);
    const statuses: [string, number][] = [];
    for (const state of ['Programmed', 'InProgress', 'Paused', 'Stopped'] as const) {
      await setScheduleState(t.db, id, state);
      statuses.push([state, (await set(id, { mjml: layout(state), htmlContent: state })).status]);
    }
    expect(statuses).toEqual([
      ['Programmed', 200],
      ['InProgress', 409],
      ['Paused', 409],
      ['Stopped', 200],
    ]);
  });

  it('404 for an unknown campaign', async () => {
    expect(await set(999_999, { mjml: layout('a'), htmlContent: 'a' })).toMatchObject({
      status: 404,
      error: 'Campaign not found',
    });
  });

  it('403 for a reader', async () => {
    const id = await makeCampaign(t.db);
    expect((await set(id, { mjml: layout('a'), htmlContent: 'a' }, 'reader')).status).toBe(403);
  });
});
