import { createHash } from 'node:crypto';
import PostalMime, { type Email } from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { getCampaign } from '../../campaigns/campaign-store.ts';
import { campaignsOperations } from '../../campaigns/operations.ts';
import { storeLinks } from '../../campaigns/tracked-link-store.ts';
import { clearHold, setHold } from '../../installation/installation-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeConfiguration, makeSubscribers } from '../../testing/campaign-makers.ts';
import { untilSinglesOver } from '../../testing/forwarding.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import type { SmtpSink } from '../../testing/smtp-sink.ts';
import { sendingOperations } from '../operations.ts';
import { forgetSingles } from '../single-versions.ts';

let t: TestApp;
let sending: SendingTester;
let sink: SmtpSink;
let idSubscriber = 0;

beforeAll(async () => {
  t = await testApp({ operations: [...campaignsOperations, ...sendingOperations] });
  sending = new SendingTester(t);
  sink = await sending.relay({ keepRaw: true });
  sending.engine();
});
afterAll(async () => {
  await sending.end();
  await t.close();
});
beforeEach(async () => {
  idSubscriber += 1;
  await makeSubscribers(t.db, [idSubscriber]);
});

const html = '<p>Order [[DATA.Order]] of [[FLD.1]]</p>';
const dynamic = {
  name: 'Orders',
  subject: 'Order [[DATA.order]]',
  mode: 'Dynamic',
  type: 'Transac',
} as const;
const makeDynamic = () => makeCampaign(t.db, { htmlContent: html, parameters: dynamic });

const send = (body: object, options: { key?: string; as?: 'reader' | 'editor' } = {}) =>
  t.call('POST', '/campaigns/send-to-subscriber', {
    body: { subscriberId: idSubscriber, ...body },
    ...options,
  });
/** The id of a message that is accepted. */
async function sent(body: object, key?: string): Promise<string> {
  const reply = await send(body, key === undefined ? {} : { key });
  expect(reply).toMatchObject({ status: 200, error: null, typeName: 'String' });
  return reply.data;
}
/** The messages that a subscriber received, when all have ended. */
async function arrived(to = `${idSubscriber}@example.org`): Promise<Email[]> {
  await untilSinglesOver(t.db);
  const own = sink.messages.filter((one) => one.to === to);
  return Promise.all(own.map((one) => PostalMime.parse(one.raw!)));
}
const outcome = (id: string) => t.call('GET', `/single-messages/${id}`);
/** The message's outcome alone. */
const messageOf = async (id: string): Promise<{ idJob: number; state: string }> => (await outcome(id)).data;
const fldOf = (change: ReturnType<typeof sql>) =>
  t.db.run(sql`update ${t.db.t.subscriber} set ${change} where fld0 = ${idSubscriber}`);

describe('sendCampaignToSubscriber', () => {
  it('200 sends a Simple campaign once, and reports the outcome', async () => {
    const campaignId = await makeCampaign(t.db);
    const id = await sent({ campaignId });
    const [mail, ...more] = await arrived();
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ subject: 'It is here' });
    expect(mail!.html).toContain(`Hello ${idSubscriber}@example.org`);
    expect(await outcome(id)).toMatchObject({
      status: 200,
      data: { id, idCampaign: campaignId, idSubscriber, state: 'Accepted', code: 250, nextAttemptDate: null },
    });
  });

  it('200 fills a Dynamic campaign from emailData, escaped, whatever the case of names', async () => {
    const campaignId = await makeDynamic();
    await sent({ campaignId, emailData: { ORDER: '<b>7&7</b>' } });
    const [mail] = await arrived();
    expect(mail!.subject).toBe('Order <b>7&7</b>');
    expect(mail!.html).toContain('Order &lt;b&gt;7&amp;7&lt;/b&gt; of');
  });

  it('200 fills DATA in a Simple campaign too, which no job can', async () => {
    const campaignId = await makeCampaign(t.db, { htmlContent: html });
    await sent({ campaignId, emailData: { order: 'A 1' } });
    expect((await arrived())[0]!.html).toContain('Order A 1');
  });

  it('200 with all overrides: sender, subject, HTML and text', async () => {
    const campaignId = await makeCampaign(t.db, {
      parameters: { name: 'x', subject: 'y', senderAlias: 'News' },
    });
    const own = {
      fromAlias: 'Bob “x”',
      subject: 'Yours [[FLD.0]]',
      messageHTML: '<p>own</p>',
      messageTXT: 'plain',
    };
    await sent({ campaignId, ...own });
    await sent({ campaignId, fromAlias: ' ', subject: '', messageHTML: '', messageTXT: '' });
    const mails = await arrived();
    const mail = mails.find(({ subject }) => subject !== 'y');
    const plain = mails.find(({ subject }) => subject === 'y');
    expect(mail).toMatchObject({ subject: `Yours ${idSubscriber}`, from: { name: 'Bob “x”' } });
    expect(mail!.html).toContain('<p>own</p>');
    expect(mail!.html).toContain('Unsubscribe');
    expect(mail!.text).toContain('plain');
    expect(plain).toMatchObject({ subject: 'y', from: { name: 'News' } });
  });

  it('200 with attachments, of any name and content', async () => {
    const campaignId = await makeCampaign(t.db);
    const content = Buffer.from(Array.from({ length: 1000 }, (_, n) => n % 256));
    const names = ['invoice.pdf', 'reçu “d’été” 100 %.png', `${'long '.repeat(40)}name.txt`];
    await sent({
      campaignId,
      attachments: names.map((fileName) => ({ fileName, fileContent: content.toString('base64') })),
    });
    const [mail] = await arrived();
    expect(mail!.attachments.map(({ filename }) => filename)).toEqual(names);
    expect(mail!.attachments.map(({ mimeType }) => mimeType)).toEqual([
      'application/pdf',
      'image/png',
      'text/plain',
    ]);
    for (const one of mail!.attachments)
      expect(Buffer.from(one.content as ArrayBuffer).equals(content)).toBe(true);
    expect(mail!.html).toContain('Hello');
    expect(
      await t.db.rows(sql`select from ${t.db.t.single_send} where attachment_contents is not null`),
    ).toEqual([]);
  });

  it('200 with 10 MB of attachments, 413 with more', async () => {
    const campaignId = await makeCampaign(t.db);
    const half = { fileName: 'a.bin', fileContent: Buffer.alloc(5 * 1024 ** 2, 7).toString('base64') };
    await sent({ campaignId, attachments: [half, half] });
    expect((await arrived())[0]!.attachments).toHaveLength(2);
    const one = { fileName: 'b.bin', fileContent: 'AA==' };
    expect(await send({ campaignId, attachments: [half, half, one] })).toMatchObject({
      status: 413,
      error: 'attachments: have more than 10 MB in total; attach less',
    });
  });

  it('200 leads tracked links through customClicTracker and shows customPixelTrackers', async () => {
    const campaignId = await makeCampaign(t.db, {
      htmlContent: '<body><a href="https://a.example/x">a</a></body>',
    });
    await t.db.transaction(async (tx) =>
      storeLinks(tx, await getCampaign(tx, campaignId), t.clock.now(), { all: true }),
    );
    await sent({
      campaignId,
      customClicTracker: 'https://clicks.example/?to=',
      customPixelTrackers: ['https://opens.example/p?a=1&b="'.replace('"', '%22'), 'http://second.example/'],
    });
    const [mail] = await arrived();
    expect(mail!.html).toMatch(/href="https:\/\/clicks\.example\/\?to=http%3A%2F%2Fmail\.test%2Fr%2F[\w-]+"/);
    expect(mail!.html).toContain('<img src="https://opens.example/p?a=1&amp;b=%22" width="1"');
    expect(mail!.html).toContain('<img src="http://second.example/" width="1"');
  });

  it('200 by hash, client id or id; 404 and 422 when they name nobody or several', async () => {
    const campaignId = await makeCampaign(t.db);
    await fldOf(sql`fld43 = ${7_000_000_000 + idSubscriber}`);
    const hash = (name: string) => createHash(name).update(`${idSubscriber}@example.org`).digest('hex');
    const by = { subscriberId: 0, campaignId };
    for (const one of [
      { subscriberMD5: hash('md5') },
      { subscriberSHA256: hash('sha256').toUpperCase() },
      { clientId: 7_000_000_000 + idSubscriber },
      { subscriberId: idSubscriber, subscriberMD5: hash('md5') },
    ])
      await sent({ ...by, ...one });
    expect(await arrived()).toHaveLength(4);
    expect(await send({ ...by, subscriberMD5: '0'.repeat(32) })).toMatchObject({
      status: 404,
      error: 'subscriberMD5: Subscriber not found',
    });
    expect(await send({ ...by, subscriberId: idSubscriber, clientId: 5 })).toMatchObject({
      status: 422,
      error: expect.stringContaining('clientId: names another subscriber than subscriberId'),
    });
    expect((await send(by)).status).toBe(400);
    expect((await send({ ...by, subscriberMD5: 'xyz' })).status).toBe(400);
  });

  it('422 for fields that idFields does not list, and data that emailData does not give', async () => {
    const campaignId = await makeCampaign(t.db, { htmlContent: '<p>[[FLD.40]] [[DATA.a]] [[DATA.b]]</p>' });
    expect(await send({ campaignId, emailData: { a: '', b: '' } })).toMatchObject({
      status: 422,
      error: 'idFields: the message shows the fields 40, which are not listed; add them',
    });
    expect(await send({ campaignId, idFields: [40], emailData: { a: '' } })).toMatchObject({
      status: 422,
      error: "emailData: the message shows 'b'; give a value of each",
    });
    expect((await send({ campaignId, idFields: [999] })).status).toBe(400);
    await sent({ campaignId, idFields: [40], emailData: { a: '1', b: '2' } });
  });

  it('422 for a subscriber who is not eligible; unsubscribed ones get messages of type Transac', async () => {
    const simple = await makeCampaign(t.db);
    const transac = await makeDynamic();
    const emailData = { order: '1' };
    await fldOf(sql`fld7 = 1`);
    expect(await send({ campaignId: simple })).toMatchObject({
      status: 422,
      error: expect.stringContaining('has unsubscribed'),
    });
    await sent({ campaignId: transac, emailData });
    await arrived();
    for (const [state, why] of [
      [2, 'mailbox does not exist'],
      [3, 'has complained'],
    ] as const) {
      await fldOf(sql`fld44 = ${state}`);
      const refused = { status: 422, error: expect.stringContaining(why) };
      expect(await send({ campaignId: transac, emailData })).toMatchObject(refused);
    }
    expect(await arrived()).toHaveLength(1);
  });

  it('422 for a campaign that is not ready, and for modes that are not sent so', async () => {
    const idConfiguration = await makeConfiguration(t.db, 'no way out');
    const parameters = { name: 'x', subject: 'y', idConfiguration };
    const campaignId = await makeCampaign(t.db, { parameters });
    expect(await send({ campaignId })).toMatchObject({
      status: 422,
      error: expect.stringContaining('without [[LINK.UNSUB]]'),
    });
    const external = await makeCampaign(t.db, { parameters: { name: 'x', subject: 'y', mode: 'External' } });
    expect(await send({ campaignId: external })).toMatchObject({
      status: 422,
      error: expect.stringContaining('mode External'),
    });
    const fine = await makeCampaign(t.db);
    expect(await send({ campaignId: fine, messageHTML: '[[FLD.9999]]' })).toMatchObject({
      status: 422,
      error: expect.stringContaining('[[FLD.9999]]: there is no field 9999'),
    });
  });

  it('404 for an unknown campaign', async () => {
    expect(await send({ campaignId: 999_999 })).toMatchObject({
      status: 404,
      error: 'campaignId: Campaign not found',
    });
  });

  it('400 for what would break a header, a name or a part', async () => {
    const campaignId = await makeCampaign(t.db);
    const file = (fileName: string, fileContent = 'AAAA') => ({ attachments: [{ fileName, fileContent }] });
    for (const hostile of [
      { subject: 'a\r\nBcc: x@y.example' },
      { fromAlias: 'a\nb' },
      file('a\r\nContent-Type: text/html'),
      file('../../etc/passwd'),
      file('  '),
      file('a.txt', 'not base64!'),
      file('a.txt', 'AAAAA'),
      { customClicTracker: 'javascript:alert(1)' },
      { customPixelTrackers: ['https://a b'] },
      { emailData: { 'a]]b': 'x' } },
      { emailData: { 'a.b': 'x' } },
      { emailData: { a: '1', A: '2' } },
      { emailData: { a: 1 } },
      { subscriberMD5: '\u0000' },
      { unknown: 1 },
    ])
      expect({ hostile, status: (await send({ campaignId, ...hostile })).status }).toEqual({
        hostile,
        status: 400,
      });
  });

  it('413 for more data than a message can show', async () => {
    const emailData = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`d${n}`, 'x'.repeat(50_000)]));
    expect((await send({ campaignId: await makeDynamic(), emailData })).status).toBe(413);
  });

  it('keeps line breaks and tags in data out of headers', async () => {
    const campaignId = await makeDynamic();
    await sent({ campaignId, emailData: { order: 'a\r\nBcc: x@y.example\r\n[[FLD.1]]' } });
    const [mail] = await arrived();
    expect(mail!.headers.some(({ key }) => key === 'bcc')).toBe(false);
    expect(mail!.html).toContain('[[FLD.1]]');
  });

  it('409 while sending is held', async () => {
    const campaignId = await makeCampaign(t.db);
    await t.app.control.run(
      sql`insert into facteur.installation (secret_check) values ('x') on conflict do nothing`,
    );
    await setHold(t.app.control, 'a copy', t.clock.now());
    const reply = await send({ campaignId });
    await clearHold(t.app.control);
    expect(reply.status).toBe(409);
  });

  it('403 for an editor, who may not send', async () => {
    const campaignId = await makeCampaign(t.db);
    expect((await send({ campaignId }, { as: 'editor' })).status).toBe(403);
  });

  it('sends what the campaign was when the call was answered, and counts versions apart', async () => {
    const campaignId = await makeCampaign(t.db, { htmlContent: '<p>first</p>' });
    const first = await sent({ campaignId });
    const body = { id: campaignId, parameters: {}, htmlContent: '<p>second</p>' };
    expect((await t.call('PUT', '/campaigns', { body })).error).toBe(null);
    const second = await sent({ campaignId });
    const mails = await arrived();
    expect(mails.map(({ html: one }) => /first|second/.exec(one!)![0]).sort()).toEqual(['first', 'second']);
    const jobs = await Promise.all([first, second].map(async (id) => (await messageOf(id)).idJob));
    expect(new Set(jobs).size).toBe(2);
    const again = await sent({ campaignId });
    expect((await messageOf(again)).idJob).toBe(jobs[1]);
    expect(new Set((await arrived()).map(({ messageId }) => messageId)).size).toBe(3);
  });

  it('does not keep a campaign from being sent to its segments', async () => {
    const campaignId = await makeCampaign(t.db);
    await sent({ campaignId });
    await arrived();
    const reply = await t.call('POST', '/campaigns/send-now', { body: campaignId });
    expect(reply).toMatchObject({ status: 422, error: expect.stringContaining('no segment') });
  });
});

describe('Idempotency-Key', () => {
  const count = async (to?: string) => (await arrived(to)).length;

  it('gives the same response to the same call, and sends once', async () => {
    const campaignId = await makeDynamic();
    const first = await sent({ campaignId, emailData: { order: '1', more: '2' } }, 'key-1');
    expect(await sent({ emailData: { more: '2', order: '1' }, campaignId }, '"key-1"')).toBe(first);
    expect(await count()).toBe(1);
  });

  it('gives it even after the campaign or the subscriber has changed', async () => {
    const campaignId = await makeCampaign(t.db);
    const first = await sent({ campaignId }, 'key-2');
    await fldOf(sql`fld7 = 1`);
    expect(await sent({ campaignId }, 'key-2')).toBe(first);
  });

  it('422 with another body, 400 for what is no key', async () => {
    const campaignId = await makeCampaign(t.db);
    await sent({ campaignId }, 'key-3');
    expect(await send({ campaignId, subject: 'Other' }, { key: 'key-3' })).toMatchObject({
      status: 422,
      error: 'Idempotency-Key: was used for a call with another body; use a new key for a new message',
    });
    for (const key of ['', 'a b', 'x'.repeat(256), 'é'])
      expect({ key, status: (await send({ campaignId }, { key })).status }).toEqual({ key, status: 400 });
    expect(await count()).toBe(1);
  });

  it('sends once for twenty calls at once, and answers all of them alike', async () => {
    const campaignId = await makeCampaign(t.db);
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => send({ campaignId }, { key: 'key-4' })),
    );
    expect(new Set(replies.map(({ data }) => data)).size).toBe(1);
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    expect(await count()).toBe(1);
  });

  it('is not kept by a call that is rejected', async () => {
    const campaignId = await makeDynamic();
    expect((await send({ campaignId }, { key: 'key-5' })).status).toBe(422);
    await sent({ campaignId, emailData: { order: '1' } }, 'key-5');
    expect(await count()).toBe(1);
  });

  it('is forgotten after 24 hours, and what messages were made of after 30 days', async () => {
    const campaignId = await makeCampaign(t.db);
    const first = await sent({ campaignId }, 'key-6');
    await arrived();
    t.clock.advance(23 * 3_600_000);
    await forgetSingles.run(t.app, {}, new AbortController().signal);
    expect(await sent({ campaignId }, 'key-6')).toBe(first);
    t.clock.advance(2 * 3_600_000);
    await forgetSingles.run(t.app, {}, new AbortController().signal);
    expect(await sent({ campaignId }, 'key-6')).not.toBe(first);
    expect(await count()).toBe(2);
    t.clock.advance(31 * 86_400_000);
    await forgetSingles.run(t.app, {}, new AbortController().signal);
    expect(await t.db.rows(sql`select from ${t.db.t.single_send}`)).toEqual([]);
    expect((await messageOf(first)).state).toBe('Accepted');
    t.clock.advance(-31 * 86_400_000 - 25 * 3_600_000);
  });
});
