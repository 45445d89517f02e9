import PostalMime, { type Email } from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { foldValue } from '../contents/content-data.ts';
import { replaceContentData } from '../contents/content-data-store.ts';
import type { TableRecord } from '../files/table.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeSubscribers, makeTarget } from '../testing/campaign-makers.ts';
import { jobsOf } from '../testing/sending-campaign.ts';
import { SendingTester } from '../testing/sending-tester.ts';
import type { SmtpSink } from '../testing/smtp-sink.ts';
import { until } from '../testing/until.ts';
import { generateJob } from './tasks/generate-job.ts';

// Content blocks and content data, up to the message that a mail server has taken.
describe('blocks and data of messages', () => {
  let t: TestApp;
  let sink: SmtpSink;
  let sending: SendingTester;
  let idTarget: number;

  beforeAll(async () => {
    t = await testApp({ publicUrl: 'https://mail.test' });
    sending = new SendingTester(t);
    sink = await sending.relay({ keepRaw: true, maxConnections: 1 });
    await makeSubscribers(t.db, [1, 2]);
    sending.engine();
    idTarget = await makeTarget(t.db);
  });
  beforeEach(() => {
    sink.messages.splice(0);
  });
  afterAll(async () => {
    await sending.end();
    await t.close();
  });

  const block = async (contentKey: string, contentValue: string) =>
    expect((await t.call('PUT', '/content-blocks', { body: { contentKey, contentValue } })).status).toBe(200);

  async function* fileOf(rows: Readonly<Record<string, string>>): AsyncGenerator<TableRecord[]> {
    yield Object.entries(rows).map((cells, line) => ({ line, cells }));
  }
  const data = (key: string, rows: Readonly<Record<string, string>>) =>
    replaceContentData(t.db, key, fileOf(rows), new Date());

  async function made(path: string, body: object, query?: Record<string, boolean>): Promise<number> {
    const reply = await t.call('POST', path, { body, ...(query && { query }) });
    expect([path, reply.status, reply.error]).toEqual([path, 200, null]);
    return typeof reply.data === 'number' ? reply.data : (reply.data as { id: number }).id;
  }

  async function campaignOf(
    content: object,
    parameters: object = {},
    configuration: object = {},
  ): Promise<number> {
    const idConfiguration = await made('/sending-configurations', {
      name: 'News',
      senderEMail: 'news@example.com',
      responseEMail: 'answers@example.com',
      footerHtml: '<a href="[[LINK.UNSUB]]">Unsubscribe</a>',
      ...configuration,
    });
    const named = { name: 'Spring', subject: 'It is here', idConfiguration, ...parameters };
    const id = await made('/campaigns', { parameters: named, ...content }, { trackAllLinks: true });
    await made(`/campaigns/${id}/segments`, { name: 'All', idTarget, percent: 100, fixedValues: 0 });
    await t.call('POST', '/campaigns/tracked-links', { body: id });
    return id;
  }

  const checklist = async (id: number) =>
    (await t.call('GET', `/campaigns/${id}/checklist`)).data as {
      isCampaignReady: boolean;
      problems: string[];
    };

  /** The messages in the order of their readers. */
  async function messagesOf(id: number, meanwhile = async () => undefined as unknown): Promise<Email[]> {
    const asked = await t.call('POST', '/campaigns/send-now', { body: id });
    expect([asked.status, asked.error]).toEqual([200, null]);
    const idJob = (await jobsOf(t.db, id)).at(-1)!.id;
    await generateJob.run(t.app, { idSite: t.db.site.id, idJob }, new AbortController().signal);
    await meanwhile();
    await until(async () => (await jobsOf(t.db, id)).at(-1)!.state === 'Finished', 'the job has ended');
    const inOrder = sink.messages.toSorted((a, b) => (a.to < b.to ? -1 : 1));
    return Promise.all(inOrder.map(({ raw }) => PostalMime.parse(raw!)));
  }

  it('a block is in every part and in an advertisement, its tags filled', async () => {
    await block('Offer', 'for [[FLD.0]]:\r\n<i>[[BLOC.price]]</i>');
    await block('price', '10 €');
    const id = await campaignOf(
      {
        htmlContent: '<p>[[BLOC.offer]] [[ENCART.1]]</p>',
        textContent: 'Text [[bloc.OFFER]] [[LINK.UNSUB]]',
      },
      { subject: 'Now [[BLOC.Price]] [[BLOC.offer]]', hasTextMessage: true },
      { footerHtml: '<a href="[[LINK.UNSUB]]">[[BLOC.price]]</a>' },
    );
    const idAdvertisement = await made('/advertisements', { name: 'Ad', html: '<b>[[BLOC.price]]</b>' });
    await t.call('PUT', `/campaigns/${id}/segments/0/advertisement`, {
      body: { position: 1, idAdvertisement },
    });
    const [first, second] = await messagesOf(id);
    expect(first!.html).toContain('<p>for 1:\n<i>10 €</i> <b>10 €</b></p>');
    expect(first!.html).toMatch(/<a href="https:\S+">10 €<\/a>/);
    expect(first!.text).toContain('Text for 1:\n<i>10 €</i>');
    expect([first!.subject, second!.subject]).toEqual([
      'Now 10 € for 1: <i>10 €</i>',
      'Now 10 € for 2: <i>10 €</i>',
    ]);
  });

  it('a block’s links are tracked, and a job that has begun keeps the block of its beginning', async () => {
    await block('link', '<a href="https://shop.example/a">a</a>');
    const id = await campaignOf({ htmlContent: '<p>[[BLOC.link]]</p>' });
    const links = (await t.call('GET', `/campaigns/${id}/tracked-links`)).data as {
      url: string;
      origin: string;
    }[];
    expect(links).toMatchObject([{ url: 'https://shop.example/a', origin: 'campaign', isTracked: true }]);
    const [first] = await messagesOf(id, () => block('link', 'changed'));
    expect(first!.html).toMatch(/<p><a href="https:\/\/mail\.test\/r\/[^"]+">a<\/a><\/p>/);
  });

  it('the checklist names blocks that are missing, circles, and mistakes inside of blocks by their line', async () => {
    await block('wrong', 'one\ntwo [[FLD.999]]');
    await t.db.run(sql`
      insert into ${t.db.t.content_block} (folded_key, key, value, created_at, updated_at)
      values ('circle', 'circle', '[[BLOC.circle]]', now(), now())`);
    const id = await campaignOf({
      htmlContent: '<p>\n[[BLOC.wrong]] [[BLOC.none]] [[BLOC.circle]]\n[[FLD.998]]</p>',
    });
    const { isCampaignReady, problems } = await checklist(id);
    expect(isCampaignReady).toBe(false);
    expect(problems).toEqual([
      '[[BLOC.none]]: there is no such content block; create it by updateContentBlock',
      'the content block at [[BLOC.circle]] contains itself',
      'content block wrong, line 2, column 5: [[FLD.999]]: there is no field 999',
      'htmlContent, line 3, column 1: [[FLD.998]]: there is no field 998',
    ]);
    expect((await t.call('POST', '/campaigns/send-now', { body: id })).status).toBe(422);
  });

  it('content data show the row of the reader’s value, the default, or nothing', async () => {
    await data('prices', { [foldValue('1@Example.org')]: '<10 €>' });
    const id = await campaignOf(
      {
        htmlContent:
          '<p>[[DATA.Prices.fld1|none]] ([[DATA.prices.fld1]])</p>' +
          '<a href="https://shop.example/?p=[[DATA.prices.fld1|-]]">x</a>',
      },
      { subject: '[[DATA.prices.fld1|Hello]]' },
    );
    expect((await checklist(id)).problems).toEqual([]);
    const messages = await messagesOf(id);
    expect(messages.map(({ subject }) => subject)).toEqual(['<10 €>', 'Hello']);
    expect(messages.map(({ html }) => /<p>.*?<\/p>/.exec(html!)![0])).toEqual([
      '<p>&lt;10 €&gt; (&lt;10 €&gt;)</p>',
      '<p>none ()</p>',
    ]);
  });

  it('the checklist names missing content data and fields', async () => {
    await data('prices', { a: 'b' });
    const id = await campaignOf({
      htmlContent: '[[DATA.offers.fld1]] [[DATA.prices.fld999]] [[DATA.order]]',
    });
    expect((await checklist(id)).problems).toEqual([
      "htmlContent, line 1, column 1: [[DATA.offers.fld1]]: there is no content data 'offers'",
      'htmlContent, line 1, column 22: [[DATA.prices.fld999]]: there is no field 999',
      'htmlContent, line 1, column 45: [[DATA.order]]: there is no data of a single send to take it from',
    ]);
  });
});
