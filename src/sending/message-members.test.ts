import PostalMime, { type Email } from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { makeSubscribers, makeTarget } from '../testing/campaign-makers.ts';
import { jobsOf } from '../testing/sending-campaign.ts';
import { SendingTester } from '../testing/sending-tester.ts';
import type { SmtpSink } from '../testing/smtp-sink.ts';
import { until } from '../testing/until.ts';
import type { FrozenJob } from './frozen-job.ts';
import { generateJob } from './tasks/generate-job.ts';

// What members of a campaign and of its configuration do to a message that a mail server has taken.
describe('a message on the wire', () => {
  let t: TestApp;
  let sink: SmtpSink;
  let sending: SendingTester;
  let idTarget: number;
  let idTestTarget: number;

  beforeAll(async () => {
    t = await testApp({ publicUrl: 'https://mail.test' });
    sending = new SendingTester(t);
    sink = await sending.relay({ keepRaw: true, maxConnections: 1 });
    await makeSubscribers(t.db, [1]);
    sending.engine();
    idTarget = await makeTarget(t.db);
    idTestTarget = await makeTarget(t.db, { isTestTarget: true });
  });
  beforeEach(() => {
    sink.messages.splice(0);
  });
  afterAll(async () => {
    await sending.end();
    await t.close();
  });

  async function made(path: string, body: object): Promise<number> {
    const reply = await t.call('POST', path, { body });
    expect([path, reply.status, reply.error]).toEqual([path, 200, null]);
    return typeof reply.data === 'number' ? reply.data : (reply.data as { id: number }).id;
  }

  interface Wanted {
    readonly configuration?: object;
    readonly parameters?: object;
    readonly content?: object;
    readonly isTest?: boolean;
  }

  /** A campaign with these members; its id, and that of its configuration. */
  async function campaignOf({ configuration, parameters, content }: Wanted) {
    const idConfiguration = await made('/sending-configurations', {
      name: 'News',
      senderEMail: 'news@example.com',
      responseEMail: 'answers@example.com',
      footerHtml: '<a href="[[LINK.UNSUB]]">Unsubscribe</a>',
      footerTxt: 'Unsubscribe: [[LINK.UNSUB]]',
      ...configuration,
    });
    const id = await made('/campaigns', {
      parameters: { name: 'Spring', subject: 'It is here', idConfiguration, idTestTarget, ...parameters },
      htmlContent: '<p>Hello</p>',
      textContent: 'Hello in text',
      ...content,
    });
    await made(`/campaigns/${id}/segments`, { name: 'All', idTarget, percent: 100, fixedValues: 0 });
    return { id, idConfiguration };
  }

  async function sendAndRead(id: number, isTest: boolean): Promise<{ mail: Email; idJob: number }> {
    const asked = await t.call('POST', `/campaigns/${isTest ? 'test-mailing' : 'send-now'}`, { body: id });
    expect([asked.status, asked.error]).toEqual([200, null]);
    const idJob = (await jobsOf(t.db, id)).at(-1)!.id;
    await generateJob.run(t.app, { idSite: t.db.site.id, idJob }, new AbortController().signal);
    await until(async () => (await jobsOf(t.db, id)).at(-1)!.state === 'Finished', 'the job has ended');
    expect(sink.messages).toHaveLength(1);
    return { mail: await PostalMime.parse(sink.messages[0]!.raw!), idJob };
  }

  async function messageOf(wanted: Wanted): Promise<Email> {
    const { id } = await campaignOf(wanted);
    return (await sendAndRead(id, wanted.isTest ?? false)).mail;
  }

  const headerOf = (mail: Email, name: string) => mail.headers.find(({ key }) => key === name)?.value;

  describe('of members of the configuration', () => {
    it('senderEMail and senderAlias: From, unless the campaign has an alias of its own', async () => {
      const configuration = { senderEMail: 'letters@example.com', senderAlias: 'The shop' };
      const mail = await messageOf({ configuration });
      expect(mail.from).toMatchObject({ address: 'letters@example.com', name: 'The shop' });
    });

    it('responseEMail and responseAlias: Reply-To', async () => {
      const mail = await messageOf({ configuration: { responseAlias: 'Our desk' } });
      expect(mail.replyTo).toMatchObject([{ address: 'answers@example.com', name: 'Our desk' }]);
    });

    it('recipientAlias: the name beside the reader’s address, its tags filled', async () => {
      const mail = await messageOf({ configuration: { recipientAlias: 'Reader [[FLD.0]]' } });
      expect(mail.to).toMatchObject([{ address: '1@example.org', name: 'Reader 1' }]);
    });

    it('header, footer and unsubscription text, around both parts in their order', async () => {
      const of = (part: string) => ({ [part]: `[${part}]` });
      const parts = ['headerHtml', 'headerTxt', 'unsubHtml', 'unsubTxt'].map(of);
      const footers = {
        footerHtml: '[footerHtml] <a href="[[LINK.UNSUB]]">x</a>',
        footerTxt: '[footerTxt] [[LINK.UNSUB]]',
      };
      const configuration = Object.assign({}, ...parts, footers);
      const mail = await messageOf({ configuration, parameters: { hasTextMessage: true } });
      expect(mail.html).toMatch(
        /\[headerHtml\]<p>Hello<\/p>\[footerHtml\] <a href="http\S+">x<\/a>\[unsubHtml\]/,
      );
      expect(mail.text).toMatch(/^\[headerTxt\]\s+Hello in text\s+\[footerTxt\] http\S+\s+\[unsubTxt\]/);
    });

    it.each([
      [true, '[BAT] It is here', 'Test: Ada'],
      [false, 'It is here', 'Ada'],
    ])(
      'objectPrefixBAT and senderAliasPrefixBAT: in a test mailing only (%s)',
      async (isTest, subject, name) => {
        const configuration = {
          objectPrefixBAT: '[BAT] ',
          senderAliasPrefixBAT: 'Test: ',
          senderAlias: 'Ada',
        };
        const mail = await messageOf({ configuration, isTest });
        expect([mail.subject, mail.from?.name]).toEqual([subject, name]);
      },
    );

    it.each([true, false])(
      'deleteEmailsAfter: Expires is that number of days after Date (a test mailing: %s)',
      async (isTest) => {
        const mail = await messageOf({ configuration: { deleteEmailsAfter: 15 }, isTest });
        expect(headerOf(mail, 'date')).toBe('Fri, 20 Nov 2026 10:00:00 +0000');
        expect(headerOf(mail, 'expires')).toBe('Sat, 05 Dec 2026 10:00:00 +0000');
      },
    );

    it('deleteEmailsAfter null: no Expires', async () => {
      const mail = await messageOf({ configuration: { deleteEmailsAfter: null } });
      expect(headerOf(mail, 'expires')).toBeUndefined();
    });

    it('deleteEmailsAfter is frozen with the job', async () => {
      const { id, idConfiguration } = await campaignOf({ configuration: { deleteEmailsAfter: 20 } });
      const { idJob } = await sendAndRead(id, false);
      const { frozen } = await t.db.one<{ frozen: FrozenJob }>(
        sql`select frozen from ${t.db.t.job} where id = ${idJob}`,
      );
      expect(frozen.source.expires).toBe('2026-12-10T10:00:00.000Z');
      const body = { id: idConfiguration, deleteEmailsAfter: 30 };
      expect((await t.call('PUT', '/sending-configurations', { body })).status).toBe(200);
      const again = await t.db.one<{ frozen: FrozenJob }>(
        sql`select frozen from ${t.db.t.job} where id = ${idJob}`,
      );
      expect(again.frozen).toEqual(frozen);
    });
  });

  describe('of parameters of the campaign', () => {
    it('senderAlias and responseAlias: before those of the configuration', async () => {
      const mail = await messageOf({
        configuration: { senderAlias: 'The shop', responseAlias: 'Our desk' },
        parameters: { senderAlias: 'Ada', responseAlias: 'Ada’s desk' },
      });
      expect([mail.from?.name, mail.replyTo?.[0]?.name]).toEqual(['Ada', 'Ada’s desk']);
    });

    it.each([
      [true, 'Hello in text'],
      [false, 'Hello'],
    ])(
      'hasTextMessage %s: whether the text is the campaign’s own or made from the HTML',
      async (hasTextMessage, text) => {
        const mail = await messageOf({ parameters: { hasTextMessage } });
        expect(mail.html).toContain('<p>Hello</p>');
        expect(mail.text?.split(/\r?\n/)[0]).toBe(text);
      },
    );

    it.each([true, false])('useListUnsubscribeHeader %s: the headers of RFC 8058', async (isWanted) => {
      const mail = await messageOf({ parameters: { useListUnsubscribeHeader: isWanted } });
      const expected = isWanted
        ? [expect.stringMatching(/^<https:\/\/mail\.test\/u\/.+>$/), 'List-Unsubscribe=One-Click']
        : [undefined, undefined];
      const names = ['list-unsubscribe', 'list-unsubscribe-post'];
      expect(names.map((name) => headerOf(mail, name))).toEqual(expected);
    });

    it('subject, with its tags filled', async () => {
      expect((await messageOf({ parameters: { subject: 'For [[FLD.1]]' } })).subject).toBe(
        'For 1@example.org',
      );
    });

    it.each([true, false])(
      'idCampDynamic: subject and contents of the template (a test mailing: %s), frozen with the job',
      async (isTest) => {
        const template = await campaignOf({
          parameters: { mode: 'Dynamic', subject: 'Of the template' },
          content: { htmlContent: '<a href="https://shop.example/">Shop</a>', textContent: 'Its text' },
        });
        const { id } = await campaignOf({
          parameters: { subject: '', hasTextMessage: true },
          content: { htmlContent: '', textContent: '', idCampDynamic: template.id },
        });
        const links = await t.call('POST', '/campaigns/tracked-links', { body: id });
        expect(links.data).toMatchObject([{ url: 'https://shop.example/', origin: 'campaign' }]);
        const { mail, idJob } = await sendAndRead(id, isTest);
        expect(mail.subject).toBe('Of the template');
        expect(mail.html).toMatch(/<a href="https:\/\/mail\.test\/r\/[^"]+">Shop<\/a>/);
        expect(mail.text).toMatch(/^Its text/);
        const body = { id: template.id, parameters: { subject: 'Other' }, htmlContent: '<p>Other</p>' };
        expect((await t.call('PUT', '/campaigns', { body })).status).toBe(200);
        const query = { idCampaign: id, idJob, includeContent: true };
        const { data } = await t.call('GET', '/campaigns/job-sendings', { query });
        expect(data).toMatchObject([{ sent: { msgHtml: expect.stringContaining('https://shop.example/') } }]);
        const own = await t.call('GET', `/campaigns/${id}`);
        expect(own.data).toMatchObject({ htmlContent: '', parameters: { subject: '' } });
      },
    );

    it.each([
      [0, false, 0],
      [3_600, false, 3_600],
      // A test goes out at once.
      [3_600, true, 0],
    ])(
      'sendingSpeed %i of a campaign, test mailing %s: %i of the job',
      async (sendingSpeed, isTest, speed) => {
        const { id } = await campaignOf({ parameters: { sendingSpeed } });
        const { idJob } = await sendAndRead(id, isTest);
        const { frozen } = await t.db.one<{ frozen: FrozenJob }>(
          sql`select frozen from ${t.db.t.job} where id = ${idJob}`,
        );
        // The engine keeps to it: engine.test.ts.
        expect(frozen.sendingSpeed).toBe(speed);
      },
    );
  });
});
