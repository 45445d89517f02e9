import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WebhookProvider } from '../accounts/route-webhook.ts';
import { countersOfSents } from '../activity/counter-store.ts';
import { makeReturnPath } from '../activity/return-path.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { raw, sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { describeWith } from '../testing/daemon.ts';
import { makeJob, makeReceipts } from '../testing/make-sent.ts';
import { dsn } from '../testing/reports.ts';
import {
  type Signed,
  SnsDouble,
  signGeneric,
  signMailgun,
  signSendgrid,
  webhookServer,
  withPassword,
} from '../testing/webhooks.ts';
import { forgetWebhookRequests } from './jobs/forget-webhook-requests.ts';
import { startSmtpListener } from './smtp-listener.ts';

let t: TestApp;
let server: Awaited<ReturnType<typeof webhookServer>>;
let registry: Registry;
let fetch: (address: string) => Promise<Buffer>;
beforeAll(async () => {
  t = await testApp();
  registry = new Registry();
  server = await webhookServer(t.app, { registry, fetch: (address) => fetch(address) });
});
beforeEach(() => {
  t.clock.set('2026-11-20T10:00:00Z');
  fetch = () => Promise.reject(new Error('nothing is to be fetched'));
});
afterAll(async () => {
  await server.close();
  await t.close();
});

const mailgunKey = 'f49dc4a8d75a0cd7d0d3b1aee05ad32f';
const password = 'k3uV9wQ2xS7yB4nM';
const whsec = `whsec_${randomBytes(32).toString('base64')}`;
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = ec.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
const secrets = {
  ses: 'arn:aws:sns:eu-west-1:123456789012:bounces',
  mailgun: mailgunKey,
  sendgrid: ec.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  generic: whsec,
  postmark: password,
  brevo: password,
  mailjet: password,
} as const satisfies Record<WebhookProvider, string>;

/** A route of a site with a webhook; the path of its address. */
async function webhookOf(provider: WebhookProvider, site = 'demo'): Promise<string> {
  const body = { host: 'smtp.example.com', port: 587, tls: 'starttls' };
  const path = `/admin/v1/sites/${site}/routes`;
  const { data } = await t.call('POST', path, { body });
  const put = { provider, secret: secrets[provider] };
  const reply = await t.call('PUT', `${path}/${(data as { id: number }).id}/webhook`, { body: put });
  return new URL((reply.data as { address: string }).address).pathname;
}

/** A subscriber whose message a relay accepted, and what names it. */
async function makeReader(db: SiteDb = t.db) {
  const { idJob, idsSent } = await makeJob(db);
  const idSent = idsSent[0]!;
  const { id } = await db.one<{ id: number }>(sql`
    insert into ${db.t.subscriber} (fld1) values (gen_random_uuid() || '@reader.example') returning fld0 as id`);
  await makeReceipts(db, idJob, idSent, { accepted: [id] });
  const returnPath = makeReturnPath(
    t.app.secrets,
    { idSite: db.site.id, idSent, idSubscriber: id },
    'mail.test',
  );
  return { db, idSent, id, returnPath, reference: returnPath.split('@')[0]! };
}
type Reader = Awaited<ReturnType<typeof makeReader>>;

/** Fields 44 and 7, the counters that are not zero, and the reports that are recorded. */
async function effectOn({ db, idSent, id }: Reader) {
  const row = await db.one<{ delivery: number; status: number; reports: number }>(sql`
    select fld44 as delivery, fld7 as status,
      (select count(*)::int from ${db.t.bounce} where id_subscriber = ${id}) as reports
    from ${db.t.subscriber} where fld0 = ${id}`);
  const { nbHardBounces, nbSoftBounces, nbTotalBounces, nbSpamComplaints, nbDelivered } = (
    await countersOfSents(db, [idSent])
  ).get(idSent)!;
  return { ...row, nbHardBounces, nbSoftBounces, nbTotalBounces, nbSpamComplaints, nbDelivered };
}
const untouched = {
  delivery: 0,
  status: 0,
  reports: 0,
  nbTotalBounces: 0,
  nbSpamComplaints: 0,
  nbDelivered: 1,
};
const hardOnce = { delivery: 2, reports: 1, nbHardBounces: 1, nbTotalBounces: 1, nbDelivered: 0 };

const fixture = (name: string, { reference }: Reader) => {
  const text = readFileSync(join(import.meta.dirname, 'webhooks/fixtures', `${name}.json`), 'utf8');
  return JSON.parse(text.replaceAll('{{reference}}', reference));
};
const post = async (path: string, { headers, body }: Signed, url = server.url) => {
  const response = await globalThis.fetch(`${url}${path}`, { method: 'POST', headers, body });
  return { status: response.status, text: (await response.text()).trim(), headers: response.headers };
};
const bounced = (reader: Pick<Reader, 'reference'>, more: object = {}) => ({
  type: 'message.bounced',
  data: { message: reader.reference, status: '5.1.1', ...more },
});
const counted = async (name: string, labels: object) => {
  const { values } = (await registry.getMetricsAsJSON()).find((one) => one.name === name) ?? { values: [] };
  const found = values.find((one) =>
    Object.entries(labels).every(([key, value]) => one.labels[key as never] === value),
  );
  return found?.value ?? 0;
};

/** Signs events as each provider does. */
const signers: Readonly<Record<Exclude<WebhookProvider, 'ses'>, (events: object) => Signed>> = {
  mailgun: (event) => signMailgun(mailgunKey, event, t.clock.now()),
  sendgrid: (events) => signSendgrid(pem, events, t.clock.now()),
  generic: (event) => signGeneric(whsec, event, t.clock.now()),
  postmark: (event) => withPassword(password, event),
  brevo: (event) => withPassword(password, event),
  mailjet: (event) => withPassword(password, event),
};

describe.each([
  ['mailgun', 'mailgun-failed', 'mailgun-complained'],
  ['sendgrid', 'sendgrid-bounce', 'sendgrid-spamreport'],
  ['generic', 'generic-bounced', 'generic-complained'],
  ['postmark', 'postmark-bounce', 'postmark-spam-complaint'],
  ['brevo', 'brevo-hard-bounce', 'brevo-spam'],
  ['mailjet', 'mailjet-user-unknown', 'mailjet-spam'],
] as const)('a webhook of %s', (provider, hard, complaint) => {
  it('counts a hard bounce once, however often it is delivered', async () => {
    const [path, reader] = [await webhookOf(provider), await makeReader()];
    for (let i = 0; i < 3; i++) {
      expect(await post(path, signers[provider](fixture(`hard/${hard}`, reader)))).toMatchObject({
        status: 200,
      });
      expect(await effectOn(reader)).toMatchObject(hardOnce);
    }
  });

  it('unsubscribes who complains', async () => {
    const [path, reader] = [await webhookOf(provider), await makeReader()];
    expect(await post(path, signers[provider](fixture(`complaint/${complaint}`, reader)))).toMatchObject({
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
    const [path, reader] = [await webhookOf(provider), await makeReader()];
    const { body } = signers[provider](fixture(`hard/${hard}`, reader));
    const forged = body.replace(/"signature":"[^"]*"/, '"signature":"00"');
    const reply = await post(path, { headers: { 'content-type': 'application/json' }, body: forged });
    expect(reply.status).toBe(401);
    expect(await effectOn(reader)).toMatchObject(untouched);
  });

  it('names nobody by an address, a Message-ID or a forged reference', async () => {
    const [path, reader] = [await webhookOf(provider), await makeReader()];
    const { email } = await t.db.one<{ email: string }>(
      sql`select fld1 as email from ${t.db.t.subscriber} where fld0 = ${reader.id}`,
    );
    const before = await counted('facteur_reports_lost_total', { kind: 'webhook' });
    for (const reference of [
      '',
      'b-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      `${reader.reference.slice(0, -1)}a`,
    ]) {
      const event = fixture(`complaint/${complaint}`, { ...reader, reference });
      const text = JSON.stringify(event).replaceAll('ada@reader.example', email);
      expect(await post(path, signers[provider](JSON.parse(text)))).toMatchObject({ status: 200 });
    }
    expect(await effectOn(reader)).toMatchObject(untouched);
    expect(await counted('facteur_reports_lost_total', { kind: 'webhook' })).toBe(before + 3);
  });
});

describeWith('openssl', 'a webhook of ses', () => {
  let sns: SnsDouble;
  beforeAll(() => {
    sns = new SnsDouble();
  });
  const send = (path: string, message: object, type = 'text/plain; charset=UTF-8') =>
    post(path, { headers: { 'content-type': type }, body: JSON.stringify(message) });

  it('confirms its subscription, then counts a bounce once and a complaint', async () => {
    // The certificate is made now.
    t.clock.set(new Date());
    fetch = sns.fetch;
    const [path, gone, angry] = [await webhookOf('ses'), await makeReader(), await makeReader()];
    const at = t.clock.now();
    expect(await send(path, sns.confirmation(at))).toMatchObject({ status: 200 });
    expect(sns.fetched.at(-1)).toContain('Action=ConfirmSubscription');
    const bounce = sns.notification(fixture('hard/ses-feedback-without-tags', gone), at);
    expect(await send(path, bounce)).toMatchObject({ status: 200, text: 'taken' });
    expect(await send(path, bounce)).toMatchObject({ status: 200, text: 'repeated' });
    // An identity's feedback and a configuration set's event say the same: of the same sent, by the same feedback id.
    const same = fixture('hard/ses-event', gone);
    same.bounce.feedbackId = fixture('hard/ses-feedback-without-tags', gone).bounce.feedbackId;
    expect(await send(path, sns.notification(same, at))).toMatchObject({ status: 200, text: 'taken' });
    expect(await effectOn(gone)).toMatchObject(hardOnce);
    await send(path, sns.notification(fixture('complaint/ses-event', angry), at), 'application/json');
    expect(await effectOn(angry)).toMatchObject({ delivery: 3, status: 1, nbSpamComplaints: 1 });
  });

  it('401 for another topic, a foreign SigningCertURL or SubscribeURL, an old message; nothing is fetched', async () => {
    t.clock.set(new Date());
    const [path, at] = [await webhookOf('ses'), t.clock.now()];
    const old = new Date(at.getTime() - 3 * 3_600_000);
    for (const message of [
      sns.notification({}, at, { TopicArn: 'arn:aws:sns:eu-west-1:999999999999:bounces' }),
      sns.notification({}, at, { SigningCertURL: 'http://169.254.169.254/cert.pem' }),
      sns.notification({}, old),
    ])
      expect(await send(path, message)).toMatchObject({ status: 401 });
    fetch = async (address) => {
      expect(address).toBe(sns.certificateUrl);
      return sns.fetch(address);
    };
    const SubscribeURL = 'http://169.254.169.254/latest/meta-data/';
    expect(await send(path, sns.confirmation(at, { SubscribeURL }))).toMatchObject({ status: 401 });
  });

  it('503 while Amazon cannot be asked for a certificate', async () => {
    const own = await testApp();
    own.clock.set(new Date());
    const direct = await webhookServer({ ...t.app, clock: own.clock });
    const path = await webhookOf('ses');
    const reply = await post(
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
    const [path, reader, other] = [await webhookOf('mailgun'), await makeReader(), await makeReader()];
    const token = randomBytes(25).toString('hex');
    const sign = (of: Reader, at: Date) =>
      signMailgun(mailgunKey, fixture('hard/mailgun-failed', of), at, token);
    const first = t.clock.now();
    expect(await post(path, sign(reader, first))).toMatchObject({ status: 200, text: 'taken' });
    t.clock.advance(8 * 3_600_000);
    await forgetWebhookRequests.run(t.app, {}, new AbortController().signal);
    expect(await post(path, sign(other, first))).toMatchObject({ status: 200, text: 'repeated' });
    t.clock.advance(2 * 3_600_000);
    expect(await post(path, sign(other, first))).toMatchObject({ status: 401 });
    expect(await effectOn(other)).toMatchObject(untouched);
    expect(
      await counted('facteur_webhook_requests_total', { provider: 'mailgun', outcome: 'repeated' }),
    ).toBe(1);
  });

  it('that comes ten times at once is taken once', async () => {
    const [path, reader] = [await webhookOf('generic'), await makeReader()];
    const request = signGeneric(whsec, bounced(reader), t.clock.now());
    const replies = await Promise.all(Array.from({ length: 10 }, () => post(path, request)));
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(replies.filter(({ text }) => text === 'taken')).toHaveLength(1);
    expect(await effectOn(reader)).toMatchObject(hardOnce);
  });

  it('is forgotten once its time would be rejected', async () => {
    const [path, reader] = [await webhookOf('generic'), await makeReader()];
    await post(path, signGeneric(whsec, bounced(reader), t.clock.now()));
    const rows = () =>
      t.app.control.rows(
        sql`select from facteur.webhook_request where id_route = ${/\d+/.exec(path)![0]}::int`,
      );
    expect(await rows()).toHaveLength(1);
    t.clock.advance(27 * 3_600_000);
    await forgetWebhookRequests.run(t.app, {}, new AbortController().signal);
    expect(await rows()).toEqual([]);
  });

  it('that could not be recorded is answered 503, and counts when it comes again', async () => {
    const [path, reader] = [await webhookOf('generic'), await makeReader()];
    const request = signGeneric(whsec, bounced(reader), t.clock.now());
    await t.db.run(sql`alter table ${t.db.t.bounce} rename to bounce_away`);
    const failed = await post(path, request);
    await t.db.run(sql`alter table ${raw(`${t.db.site.schema}.bounce_away`)} rename to bounce`);
    expect(failed).toMatchObject({ status: 503 });
    expect(failed.headers.get('retry-after')).toBe('10');
    expect(await post(path, request)).toMatchObject({ status: 200, text: 'taken' });
    expect(await effectOn(reader)).toMatchObject(hardOnce);
  });
});

describe('reports of webhooks', () => {
  it('count nobody twice whom a report by SMTP has counted', async () => {
    const [path, reader] = [await webhookOf('generic'), await makeReader()];
    const listener = await startSmtpListener(t.app, 0, new Registry());
    const transport = createTransport({ host: '127.0.0.1', port: listener.port, ignoreTLS: true });
    await transport.sendMail({
      envelope: { from: '', to: reader.returnPath },
      raw: dsn({ to: reader.returnPath }),
    });
    await listener.close();
    expect(await effectOn(reader)).toMatchObject(hardOnce);
    await post(path, signGeneric(whsec, bounced(reader), t.clock.now()));
    expect(await effectOn(reader)).toMatchObject({ ...hardOnce, reports: 2 });
    await post(path, signGeneric(whsec, bounced(reader, { status: '4.2.2' }), t.clock.now()));
    expect(await effectOn(reader)).toMatchObject({ ...hardOnce, reports: 3, nbSoftBounces: 0 });
  });

  it('never reach another site, whose message they name by a good signature', async () => {
    const [path, foreign] = [await webhookOf('generic'), await makeReader(t.otherDb)];
    expect(await post(path, signGeneric(whsec, bounced(foreign), t.clock.now()))).toMatchObject({
      status: 200,
    });
    expect(await effectOn(foreign)).toMatchObject(untouched);
    const own = await webhookOf('generic', 'other');
    expect(await post(own, signGeneric(whsec, bounced(foreign), t.clock.now()))).toMatchObject({
      status: 200,
    });
    expect(await effectOn(foreign)).toMatchObject(hardOnce);
  });

  it('of a batch count each, beside events that are none', async () => {
    const path = await webhookOf('sendgrid');
    const readers = await Promise.all(Array.from({ length: 25 }, () => makeReader()));
    const events = readers.flatMap((reader) => [
      ...fixture('none/sendgrid-others', reader),
      ...fixture('hard/sendgrid-bounce', reader).map((event: object) => ({
        ...event,
        sg_event_id: reader.reference,
      })),
    ]);
    expect(await post(path, signSendgrid(pem, events, t.clock.now()))).toMatchObject({ status: 200 });
    for (const reader of readers) expect(await effectOn(reader)).toMatchObject(hardOnce);
  });
});

describe('the address of a webhook', () => {
  it('404 if we did not sign it, or its route or webhook is gone; 405 for anything but POST', async () => {
    const path = await webhookOf('brevo');
    const request = withPassword(password, []);
    for (const other of [
      '/webhooks/',
      '/webhooks/1',
      `${path}x`,
      `${path}?a=b`,
      path.replace(/s\/\d+/, 's/9999'),
    ])
      expect([other, (await post(other, request)).status]).toEqual([other, 404]);
    const response = await globalThis.fetch(`${server.url}${path}`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    const idRoute = /\d+/.exec(path)![0];
    await t.call('DELETE', `/admin/v1/sites/demo/routes/${idRoute}`);
    expect((await post(path, request)).status).toBe(404);
  });

  it('lets other addresses through', async () => {
    expect((await globalThis.fetch(`${server.url}/webhook`)).status).toBe(418);
  });
});

describe('a hostile body', () => {
  const typed = (body: string, more: Record<string, string> = {}): Signed => {
    const { headers } = withPassword(password, []);
    return { headers: { ...headers, ...more }, body };
  };

  it('400 for what is no JSON, nests too deep or has too many properties; 415 for other types', async () => {
    const path = await webhookOf('mailjet');
    const wide = `{${Array.from({ length: 2_000 }, (_, i) => `"a${i}":1`).join(',')}}`;
    for (const body of ['', '{', 'event=bounce', '['.repeat(100_000), wide])
      expect([body.slice(0, 9), (await post(path, typed(body))).status]).toEqual([body.slice(0, 9), 400]);
    for (const more of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-encoding': 'gzip' },
    ])
      expect((await post(path, typed('[]', more as never))).status).toBe(415);
  });

  it('413 for more bytes or reports than a request may have', async () => {
    const path = await webhookOf('mailjet');
    expect((await post(path, typed(`[${' '.repeat(2 * 1024 * 1024)}]`))).status).toBe(413);
    const many = (count: number) => JSON.stringify(Array.from({ length: count }, () => ({ event: 'spam' })));
    expect((await post(path, typed(many(5_001)))).status).toBe(413);
    expect((await post(path, typed(many(5_000)))).status).toBe(200);
  });

  it('that is broken off holds no place', async () => {
    const path = await webhookOf('mailjet');
    const { headers } = withPassword(password, []);
    const broken = Array.from({ length: 12 }, () => {
      const request = requestHttp(`${server.url}${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-length': '100' },
      });
      request.on('error', () => undefined).write('[');
      return request;
    });
    for (const request of broken) request.destroy();
    expect((await post(path, typed('[]'))).status).toBe(200);
  });
});

it('429 to an address that has proved nothing 30 times in a minute', async () => {
  const own = await webhookServer(t.app);
  const path = await webhookOf('brevo');
  const statuses = [];
  for (let i = 0; i < 32; i++)
    statuses.push((await post(path, withPassword('guess-1234567890', []), own.url)).status);
  expect(statuses.slice(0, 30)).toEqual(Array(30).fill(401));
  expect(statuses.at(-1)).toBe(429);
  expect((await post(path, withPassword(password, []), own.url)).headers.get('retry-after')).toMatch(/^\d+$/);
  await own.close();
});
