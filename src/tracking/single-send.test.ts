import PostalMime, { type Email } from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { getCampaign } from '../campaigns/campaign-store.ts';
import { storeLinks } from '../campaigns/tracked-link-store.ts';
import { foldValue } from '../contents/content-data.ts';
import { replaceContentData } from '../contents/content-data-store.ts';
import type { TableRecord } from '../files/table.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeCampaign, makeSubscribers } from '../testing/campaign-makers.ts';
import { untilSinglesOver } from '../testing/forwarding.ts';
import { SendingTester } from '../testing/sending-tester.ts';
import type { SmtpSink } from '../testing/smtp-sink.ts';
import { browser, type TrackingServer, trackingServer } from '../testing/tracking-server.ts';

// What the links of a single send lead to, which only its own data and contents can tell.
describe('the links of single sends', () => {
  let t: TestApp;
  let sink: SmtpSink;
  let sending: SendingTester;
  let server: TrackingServer;
  beforeAll(async () => {
    t = await testApp({ publicUrl: 'https://mail.test' });
    sending = new SendingTester(t);
    sink = await sending.relay({ keepRaw: true });
    await makeSubscribers(t.db, [1]);
    sending.engine();
    server = await trackingServer(t.app);
  });
  beforeEach(() => {
    sink.messages.splice(0);
  });
  afterAll(async () => {
    await server.close();
    await sending.end();
    await t.close();
  });

  const put = async (contentKey: string, contentValue: string) =>
    expect((await t.call('PUT', '/content-blocks', { body: { contentKey, contentValue } })).status).toBe(200);

  async function* fileOf(row: TableRecord): AsyncGenerator<TableRecord[]> {
    yield [row];
  }

  async function sent(body: object): Promise<Email> {
    const reply = await t.call('POST', '/campaigns/send-to-subscriber', {
      body: { subscriberId: 1, ...body },
    });
    expect([reply.status, reply.error]).toEqual([200, null]);
    await untilSinglesOver(t.db);
    return PostalMime.parse(sink.messages.splice(0).at(-1)!.raw!);
  }
  const get = (mail: Email, path: string) => {
    const address = new RegExp(`https://mail\\.test(/${path}/[\\w-]+)`).exec(mail.html!)![1]!;
    return fetch(server.url + address, { redirect: 'manual', headers: { 'user-agent': browser } });
  };

  async function orders(): Promise<number> {
    const id = await makeCampaign(t.db, {
      htmlContent:
        '<p>Order [[DATA.order]] [[BLOC.thanks]]</p><a href="[[LINK.MIRROR]]">web</a>' +
        '<a href="https://shop.example/orders/[[DATA.order]]?of=[[FLD.0]]">see</a>',
      parameters: { name: 'Orders', subject: 'Order [[DATA.order]]', mode: 'Dynamic', type: 'Transac' },
    });
    await t.db.transaction(async (tx) =>
      storeLinks(tx, await getCampaign(tx, id), new Date(), { all: true }),
    );
    return id;
  }

  it('a click and the mirror page show the data of each send, and nothing once they are forgotten', async () => {
    await put('thanks', 'Thank you');
    const campaignId = await orders();
    const first = await sent({ campaignId, emailData: { order: 'A 7' } });
    const second = await sent({ campaignId, emailData: { order: 'B&8' } });
    expect(first.html).toContain('Order A 7 Thank you');
    expect((await get(first, 'r')).headers.get('location')).toBe('https://shop.example/orders/A%207?of=1');
    expect((await get(second, 'r')).headers.get('location')).toBe('https://shop.example/orders/B%268?of=1');
    const page = await get(second, 'm');
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining('Order B&amp;8 Thank you'),
    ]);
    await t.db.run(sql`delete from ${t.db.t.single_send}`);
    expect((await get(first, 'm')).status).toBe(404);
    expect((await get(first, 'r')).headers.get('location')).toBe('https://shop.example/orders/?of=1');
  });

  it('the mirror page of a send with contents of its own shows these, with their blocks and rows of data', async () => {
    await put('thanks', 'Many thanks');
    const campaignId = await orders();
    const row = { line: 0, cells: [foldValue('1@example.org'), '10 €'] };
    await replaceContentData(t.db, 'prices', fileOf(row), new Date());
    const own =
      '<p>Own [[BLOC.thanks]] [[DATA.order]] [[DATA.prices.fld1]]</p><a href="[[LINK.MIRROR]]">web</a>';
    const mail = await sent({ campaignId, messageHTML: own, emailData: { order: 'C' } });
    const page = await get(mail, 'm');
    for (const html of [mail.html, await page.text()])
      expect(html).toContain('<p>Own Many thanks C 10 €</p>');
    const wrong = { subscriberId: 1, campaignId, messageHTML: '<p>Own [[BLOC.none]]</p>' };
    const refused = await t.call('POST', '/campaigns/send-to-subscriber', { body: wrong });
    expect([refused.status, refused.error]).toEqual([
      422,
      expect.stringContaining('there is no such content block'),
    ]);
  });
});
