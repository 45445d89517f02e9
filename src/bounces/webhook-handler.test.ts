import { randomBytes } from 'node:crypto';
import { createTransport } from 'nodemailer';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { raw, sql } from '../platform/db/sql.ts';
import { testApp } from '../testing/app.ts';
import { describeWith } from '../testing/daemon.ts';
import { serving } from '../testing/listening.ts';
import { dsn } from '../testing/reports.ts';
import {
  bouncedEvent,
  effectOn,
  hardOnce,
  mailgunKey,
  SnsDouble,
  signMailgun,
  untouched,
  type WebhookReader,
  WebhookTester,
  webhookFixture,
} from '../testing/webhooks.ts';
import { startSmtpListener } from './smtp-listener.ts';
import { forgetWebhookRequests } from './tasks/forget-webhook-requests.ts';
import { webhookHandler } from './webhook-handler.ts';

let w: WebhookTester;
beforeAll(async () => {
  w = await WebhookTester.start();
});
beforeEach(() => w.reset());
afterAll(() => w.close());

describe.each([
  ['mailgun', 'mailgun-failed', 'mailgun-complained'],
  ['sendgrid', 'sendgrid-bounce', 'sendgrid-spamreport'],
  ['generic', 'generic-bounced', 'generic-complained'],
  ['postmark', 'postmark-bounce', 'postmark-spam-complaint'],
  ['brevo', 'brevo-hard-bounce', 'brevo-spam'],
  ['mailjet', 'mailjet-user-unknown', 'mailjet-spam'],
] as const)('a webhook of %s', (provider, hard, complaint) => {
  it('counts a hard bounce once, however often it is delivered', async () => {
    const [path, reader] = [await w.webhookOf(provider), await w.makeReader()];
    for (let i = 0; i < 3; i++) {
      expect(await w.post(path, w.sign(provider, webhookFixture(`hard/${hard}`, reader)))).toMatchObject({
        status: 200,
      });
      expect(await effectOn(reader)).toMatchObject(hardOnce);
    }
  });

  it('unsubscribes who complains', async () => {
    const [path, reader] = [await w.webhookOf(provider), await w.makeReader()];
    expect(
      await w.post(path, w.sign(provider, webhookFixture(`complaint/${complaint}`, reader))),
    ).toMatchObject({
      status: 200,
    });
    expect(await effectOn(reader)).toMatchObject({
      delivery: 3,
      status: 1,
      nbSpamComplaints: 1,
      nbDelivered: 1,
    });
  });

  it('401 without the secret, and nothing happens', async () => {
    const [path, reader] = [await w.webhookOf(provider), await w.makeReader()];
    const { body } = w.sign(provider, webhookFixture(`hard/${hard}`, reader));
    const forged = body.replace(/"signature":"[^"]*"/, '"signature":"00"');
    const reply = await w.post(path, { headers: { 'content-type': 'application/json' }, body: forged });
    expect(reply.status).toBe(401);
    expect(await effectOn(reader)).toMatchObject(untouched);
  });

  it('names nobody by an address, a Message-ID or a forged reference', async () => {
    const [path, reader] = [await w.webhookOf(provider), await w.makeReader()];
    const { email } = await w.t.db.one<{ email: string }>(
      sql`select fld1 as email from ${w.t.db.t.subscriber} where fld0 = ${reader.id}`,
    );
    const before = await w.counted('facteur_reports_lost_total', { kind: 'webhook' });
    for (const reference of [
      '',
      'b-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      // One character of the signature is another one, whichever it was.
      reader.reference.replace(/.(.{6})$/, (end) => (end.startsWith('a') ? 'b' : 'a') + end.slice(1)),
    ]) {
      const event = webhookFixture(`complaint/${complaint}`, { ...reader, reference });
      const text = JSON.stringify(event).replaceAll('ada@reader.example', email);
      expect(await w.post(path, w.sign(provider, JSON.parse(text)))).toMatchObject({ status: 200 });
    }
    expect(await effectOn(reader)).toMatchObject(untouched);
    expect(await w.counted('facteur_reports_lost_total', { kind: 'webhook' })).toBe(before + 3);
  });
});

describeWith('openssl', 'a webhook of ses', () => {
  let sns: SnsDouble;
  beforeAll(() => {
    sns = new SnsDouble();
  });
  const send = (path: string, message: object, type = 'text/plain; charset=UTF-8') =>
    w.post(path, { headers: { 'content-type': type }, body: JSON.stringify(message) });

  it('confirms its subscription, then counts a bounce once and a complaint', async () => {
    // The certificate is made now.
    w.t.clock.set(new Date());
    w.fetch = sns.fetch;
    const [path, gone, angry] = [await w.webhookOf('ses'), await w.makeReader(), await w.makeReader()];
    const at = w.t.clock.now();
    expect(await send(path, sns.confirmation(at))).toMatchObject({ status: 200 });
    expect(sns.fetched.at(-1)).toContain('Action=ConfirmSubscription');
    const bounce = sns.notification(webhookFixture('hard/ses-feedback-without-tags', gone), at);
    expect(await send(path, bounce)).toMatchObject({ status: 200, text: 'taken' });
    expect(await send(path, bounce)).toMatchObject({ status: 200, text: 'repeated' });
    // An identity's feedback and an event of a configuration set report the same bounce under the same feedback id.
    const same = webhookFixture('hard/ses-event', gone);
    same.bounce.feedbackId = webhookFixture('hard/ses-feedback-without-tags', gone).bounce.feedbackId;
    expect(await send(path, sns.notification(same, at))).toMatchObject({ status: 200, text: 'taken' });
    expect(await effectOn(gone)).toMatchObject(hardOnce);
    await send(path, sns.notification(webhookFixture('complaint/ses-event', angry), at), 'application/json');
    expect(await effectOn(angry)).toMatchObject({ delivery: 3, status: 1, nbSpamComplaints: 1 });
  });

  it('401 for another topic, an old message, a SigningCertURL or SubscribeURL of others, and no fetch', async () => {
    w.t.clock.set(new Date());
    const [path, at] = [await w.webhookOf('ses'), w.t.clock.now()];
    const old = new Date(at.getTime() - 3 * 3_600_000);
    for (const message of [
      sns.notification({}, at, { TopicArn: 'arn:aws:sns:eu-west-1:999999999999:bounces' }),
      sns.notification({}, at, { SigningCertURL: 'http://169.254.169.254/cert.pem' }),
      sns.notification({}, old),
    ])
      expect(await send(path, message)).toMatchObject({ status: 401 });
    w.fetch = async (address) => {
      expect(address).toBe(sns.certificateUrl);
      return sns.fetch(address);
    };
    const SubscribeURL = 'http://169.254.169.254/latest/meta-data/';
    expect(await send(path, sns.confirmation(at, { SubscribeURL }))).toMatchObject({ status: 401 });
  });

  it('503 while Amazon cannot be requested a certificate', async () => {
    const own = await testApp();
    own.clock.set(new Date());
    const direct = await serving(webhookHandler({ ...w.t.app, clock: own.clock }));
    const path = await w.webhookOf('ses');
    const reply = await w.post(
      path,
      {
        headers: { 'content-type': 'text/plain' },
        body: JSON.stringify(sns.notification({}, own.clock.now())),
      },
      direct.url,
    );
    expect(reply).toMatchObject({ status: 503 });
    await direct.close();
    await own.close();
  });
});

describe('a signed request', () => {
  it('is taken once: replayed it changes nothing, even with other events, which Mailgun does not sign', async () => {
    const [path, reader, other] = [await w.webhookOf('mailgun'), await w.makeReader(), await w.makeReader()];
    const token = randomBytes(25).toString('hex');
    const sign = (of: WebhookReader, at: Date) =>
      signMailgun(mailgunKey, webhookFixture('hard/mailgun-failed', of), at, token);
    const first = w.t.clock.now();
    expect(await w.post(path, sign(reader, first))).toMatchObject({ status: 200, text: 'taken' });
    w.t.clock.advance(8 * 3_600_000);
    await forgetWebhookRequests.run(w.t.app, {}, new AbortController().signal);
    expect(await w.post(path, sign(other, first))).toMatchObject({ status: 200, text: 'repeated' });
    w.t.clock.advance(2 * 3_600_000);
    expect(await w.post(path, sign(other, first))).toMatchObject({ status: 401 });
    expect(await effectOn(other)).toMatchObject(untouched);
    expect(
      await w.counted('facteur_webhook_requests_total', { provider: 'mailgun', outcome: 'repeated' }),
    ).toBe(1);
  });

  it('that comes ten times at once is taken once', async () => {
    const [path, reader] = [await w.webhookOf('generic'), await w.makeReader()];
    const request = w.sign('generic', bouncedEvent(reader));
    const replies = await Promise.all(Array.from({ length: 10 }, () => w.post(path, request)));
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(replies.filter(({ text }) => text === 'taken')).toHaveLength(1);
    expect(await effectOn(reader)).toMatchObject(hardOnce);
  });

  it('is forgotten once its time would be rejected', async () => {
    const [path, reader] = [await w.webhookOf('generic'), await w.makeReader()];
    await w.post(path, w.sign('generic', bouncedEvent(reader)));
    const rows = () =>
      w.t.app.control.rows(
        sql`select from facteur.webhook_request where id_route = ${/\d+/.exec(path)![0]}::int`,
      );
    expect(await rows()).toHaveLength(1);
    w.t.clock.advance(27 * 3_600_000);
    await forgetWebhookRequests.run(w.t.app, {}, new AbortController().signal);
    expect(await rows()).toEqual([]);
  });

  it('returns 503 if it cannot be recorded, and counts when it is repeated', async () => {
    const [path, reader] = [await w.webhookOf('generic'), await w.makeReader()];
    const request = w.sign('generic', bouncedEvent(reader));
    await w.t.db.run(sql`alter table ${w.t.db.t.bounce} rename to bounce_away`);
    const failed = await w.post(path, request);
    await w.t.db.run(sql`alter table ${raw(`${w.t.db.site.schema}.bounce_away`)} rename to bounce`);
    expect(failed).toMatchObject({ status: 503 });
    expect(failed.headers.get('retry-after')).toBe('10');
    expect(await w.post(path, request)).toMatchObject({ status: 200, text: 'taken' });
    expect(await effectOn(reader)).toMatchObject(hardOnce);
  });
});

describe('reports of webhooks', () => {
  it('count a recipient once beside a report by SMTP', async () => {
    const [path, reader] = [await w.webhookOf('generic'), await w.makeReader()];
    const listener = await startSmtpListener(w.t.app, 0, new Registry());
    const transport = createTransport({ host: '127.0.0.1', port: listener.port, ignoreTLS: true });
    await transport.sendMail({
      envelope: { from: '', to: reader.returnPath },
      raw: dsn({ to: reader.returnPath }),
    });
    await listener.close();
    expect(await effectOn(reader)).toMatchObject(hardOnce);
    await w.post(path, w.sign('generic', bouncedEvent(reader)));
    expect(await effectOn(reader)).toMatchObject({ ...hardOnce, reports: 2 });
    await w.post(path, w.sign('generic', bouncedEvent(reader, { status: '4.2.2' })));
    expect(await effectOn(reader)).toMatchObject({ ...hardOnce, reports: 3, nbSoftBounces: 0 });
  });

  it('never reach another site, even by a valid reference', async () => {
    const [path, foreign] = [await w.webhookOf('generic'), await w.makeReader(w.t.otherDb)];
    expect(await w.post(path, w.sign('generic', bouncedEvent(foreign)))).toMatchObject({
      status: 200,
    });
    expect(await effectOn(foreign)).toMatchObject(untouched);
    const own = await w.webhookOf('generic', 'other');
    expect(await w.post(own, w.sign('generic', bouncedEvent(foreign)))).toMatchObject({
      status: 200,
    });
    expect(await effectOn(foreign)).toMatchObject(hardOnce);
  });

  it('count each report of a batch, and no other event', async () => {
    const path = await w.webhookOf('sendgrid');
    const readers = await Promise.all(Array.from({ length: 25 }, () => w.makeReader()));
    const events = readers.flatMap((reader) => [
      ...webhookFixture('none/sendgrid-others', reader),
      ...webhookFixture('hard/sendgrid-bounce', reader).map((event: object) => ({
        ...event,
        sg_event_id: reader.reference,
      })),
    ]);
    expect(await w.post(path, w.sign('sendgrid', events))).toMatchObject({ status: 200 });
    for (const reader of readers) expect(await effectOn(reader)).toMatchObject(hardOnce);
  });
});
