import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSubscribers, makeTarget } from '../../testing/campaign-makers.ts';
import type { MessagePreview } from '../preview.ts';

describe('previewMessage', () => {
  let t: TestApp;
  let idConfiguration: number;
  let idTarget: number;
  beforeAll(async () => {
    t = await testApp({ publicUrl: 'https://mail.test' });
    await makeSubscribers(t.db, [1, 2, 3]);
    await t.db.run(sql`update ${t.db.t.subscriber} set fld5 = 'Zoé & Cie' where fld0 = 2`);
    await t.db.run(sql`update ${t.db.t.subscriber} set fld7 = 1 where fld0 = 1`);
    idConfiguration = await made('/sending-configurations', {
      name: 'News',
      senderEMail: 'news@example.com',
      senderAlias: 'The Shop',
      responseEMail: 'answers@example.com',
      headerHtml: '<a href="[[LINK.MIRROR]]">Web</a>',
      footerHtml: '<a href="[[LINK.UNSUB]]">Unsubscribe</a>',
    });
    idTarget = await makeTarget(t.db);
  });
  afterAll(() => t.close());

  async function made(path: string, body: object): Promise<number> {
    const reply = await t.call('POST', path, { body });
    expect([path, reply.status, reply.error]).toEqual([path, 200, null]);
    return typeof reply.data === 'number' ? reply.data : (reply.data as { id: number }).id;
  }
  async function campaignOf(
    htmlContent: string,
    parameters: object = {},
    segment: object = {},
  ): Promise<number> {
    const named = { name: 'Spring', subject: 'Hello [[FLD.5|you]]', idConfiguration, ...parameters };
    const id = await made('/campaigns', { parameters: named, htmlContent });
    const input = { name: 'All', idTarget, percent: 100, fixedValues: 0, ...segment };
    await made(`/campaigns/${id}/segments`, input);
    await t.call('POST', '/campaigns/tracked-links', { body: id });
    return id;
  }
  const call = (id: number, query: Record<string, string | number> = {}, position = 1) =>
    t.call('GET', `/campaigns/${id}/segments/${position}/preview`, { query, as: 'reader' });
  const preview = async (id: number, query: Record<string, string | number> = {}) => {
    const reply = await call(id, query);
    expect([reply.status, reply.error]).toEqual([200, null]);
    return reply.data as MessagePreview;
  };

  it('200 with all parts as the subscriber would get them, and nothing is sent or counted', async () => {
    const html =
      '<p>Dear [[FLD.5|reader]]</p><a href="https://shop.example/?id=[[FLD.0]]">Shop</a>' +
      '<a href="mailto:us@shop.example">Write</a>';
    const id = await campaignOf(html);
    const shown = await preview(id, { idSubscriber: 2 });
    expect(shown).toMatchObject({
      idSubscriber: 2,
      email: '2@example.org',
      subject: 'Hello Zoé & Cie',
      problems: [],
      warnings: [],
    });
    expect(shown.html).toContain('<p>Dear Zoé &amp; Cie</p><a href="https://shop.example/?id=2">Shop</a>');
    expect(shown.html).toContain('<a href="https://mail.test/#unsub">Unsubscribe</a>');
    expect(shown.html).not.toContain('<img');
    expect(shown.text).toContain('Dear Zoé & Cie');
    expect(shown.headers).toContainEqual({ name: 'From', value: '"The Shop" <news@example.com>' });
    expect(shown.headers).toContainEqual({ name: 'List-Unsubscribe', value: '<https://mail.test/#unsub>' });
    expect(shown.links).toEqual([
      { url: 'https://mail.test/#mirror', isTracked: false },
      { url: 'https://shop.example/?id=2', isTracked: true },
      { url: 'mailto:us@shop.example', isTracked: false },
      { url: 'https://mail.test/#unsub', isTracked: false },
    ]);
    const counts = await t.db.one(sql`
      select (select count(*)::int from ${t.db.t.job}) as jobs, (select count(*)::int from ${t.db.t.hit}) as hits,
        (select count(*)::int from ${t.db.t.single_message}) as singles`);
    expect(counts).toEqual({ jobs: 0, hits: 0, singles: 0 });
  });

  it('200 for an address, and for the first subscriber who may receive mail', async () => {
    const id = await campaignOf('<p>x</p>');
    expect((await preview(id, { email: '3@EXAMPLE.org' })).idSubscriber).toBe(3);
    expect((await preview(id)).idSubscriber).toBe(2);
  });

  it('200 with a warning for a subscriber who would not get it, and with what a sending would miss', async () => {
    const id = await campaignOf('<p>x</p>', {}, { idTarget: await makeTarget(t.db, { isSafe: false }) });
    const { warnings, problems } = await preview(id, { idSubscriber: 1 });
    expect(warnings).toEqual([
      'This subscriber would not get it: they are unsubscribed, or their address bounced or complained',
    ]);
    expect(problems).toEqual([expect.stringContaining('targets that are not safe')]);
  });

  it('200 of content data for the reader, in the HTML and in a tracked address', async () => {
    await t.db.run(sql`
      insert into ${t.db.t.content_data} (folded_key, key, id, nb_rows, loaded_at) values ('p', 'p', 77, 1, now())`);
    await t.db.run(sql`insert into ${t.db.t.content_data_row} values (77, '2@example.org', 'ten')`);
    const id = await campaignOf('<p>[[DATA.p.fld1]]</p><a href="https://shop.example/[[DATA.p.fld1]]">x</a>');
    const { html, links } = await preview(id, { idSubscriber: 2 });
    expect(html).toContain('<p>ten</p>');
    expect(links).toContainEqual({ url: 'https://shop.example/ten', isTracked: true });
  });

  it.each([
    ['an unknown subscriber', { idSubscriber: 99 }, 'idSubscriber: Subscriber not found'],
    ['an unknown address', { email: 'nobody@example.org' }, 'email: Subscriber not found'],
    ['a text that is no address', { email: 'nobody' }, 'email: Subscriber not found'],
  ])('404 for %s', async (_, query, error) => {
    expect(await call(await campaignOf('<p>x</p>'), query)).toMatchObject({ status: 404, error });
  });

  it('404 for an unknown campaign or segment', async () => {
    expect(await call(999)).toMatchObject({ status: 404, error: 'Campaign not found' });
    expect(await call(await campaignOf('x'), {}, 2)).toMatchObject({ status: 404 });
  });

  it('400 for a subscriber and an address at once', async () => {
    const reply = await call(await campaignOf('x'), { idSubscriber: 2, email: 'a@b.example' });
    expect(reply).toMatchObject({
      status: 400,
      error: 'email: cannot be combined with idSubscriber; give one of them',
    });
  });

  it.each([
    [
      'a tag that cannot be filled',
      '[[FLD.999]]',
      {},
      {},
      'The message cannot be made: [[FLD.999]]: there is no',
    ],
    ['an excluded segment', 'x', {}, { isExcluded: true }, 'Segment 1 is excluded'],
    [
      'a campaign that has no segments’ messages',
      'x',
      { mode: 'External' },
      {},
      'A campaign of mode External',
    ],
  ])('422 for %s', async (_, html, parameters, segment, error) => {
    const reply = await call(await campaignOf(html, parameters, segment), { idSubscriber: 2 });
    expect(reply).toMatchObject({ status: 422, error: expect.stringContaining(error) });
  });
});
