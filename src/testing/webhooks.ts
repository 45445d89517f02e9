import { execFileSync } from 'node:child_process';
import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import type { WebhookProvider } from '../accounts/route-webhook.ts';
import { countersOfSents } from '../activity/counter-store.ts';
import { makeReturnPath } from '../activity/return-path.ts';
import { webhookHandler } from '../bounces/webhook-handler.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from './app.ts';
import { type Listening, serving } from './listening.ts';
import { makeJob, makeReceipts } from './make-sent.ts';

export interface Signed {
  readonly headers: Record<string, string>;
  readonly body: string;
}

const json = { 'content-type': 'application/json' };
const seconds = (at: Date) => `${Math.floor(at.getTime() / 1000)}`;

/** A body signed as Standard Webhooks says. @param secret `whsec_…` */
export function signGeneric(
  secret: string,
  events: unknown,
  at: Date,
  id = randomBytes(8).toString('hex'),
): Signed {
  const body = JSON.stringify(events);
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const mac = createHmac('sha256', key)
    .update(`${id}.${seconds(at)}.${body}`)
    .digest('base64');
  const headers = { 'webhook-id': id, 'webhook-timestamp': seconds(at), 'webhook-signature': `v1,${mac}` };
  return { headers: { ...json, ...headers }, body };
}

/** An event of Mailgun with its signature, which covers a time and a token. */
export function signMailgun(
  key: string,
  event: object,
  at: Date,
  token = randomBytes(25).toString('hex'),
): Signed {
  const timestamp = seconds(at);
  const signature = createHmac('sha256', key).update(`${timestamp}${token}`).digest('hex');
  return { headers: json, body: JSON.stringify({ ...event, signature: { timestamp, token, signature } }) };
}

/** Events of SendGrid, signed by ECDSA. @param key PEM of the private key. */
export function signSendgrid(key: string, events: unknown, at: Date): Signed {
  const body = JSON.stringify(events);
  const headers = {
    'x-twilio-email-event-webhook-timestamp': seconds(at),
    'x-twilio-email-event-webhook-signature': sign('sha256', Buffer.from(seconds(at) + body), key).toString(
      'base64',
    ),
  };
  return { headers: { ...json, ...headers }, body };
}

/** A request with a password, as the address `https://facteur:password@…` has it sent. */
export function withPassword(password: string, events: unknown, user = 'facteur'): Signed {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return { headers: { ...json, authorization }, body: JSON.stringify(events) };
}

/** A replacement for Amazon's SNS: a certificate made by openssl, messages signed by its key, a list of fetches. */
export class SnsDouble {
  readonly topic = 'arn:aws:sns:eu-west-1:123456789012:bounces';
  readonly certificateUrl =
    'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-9c6465fa7f48f5cacd23014631ec1136.pem';
  readonly fetched: string[] = [];
  readonly #key: string;
  readonly #certificate: Buffer;

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'facteur-sns-'));
    try {
      const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
      const request = 'req -x509 -newkey rsa:2048 -nodes -subj /CN=sns.amazonaws.com -days 2'.split(' ');
      execFileSync('openssl', [...request, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
      this.#key = readFileSync(key, 'utf8');
      this.#certificate = readFileSync(certificate);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  /** For `WebhookOptions.fetch`. */
  fetch = async (address: string): Promise<Buffer> => {
    this.fetched.push(address);
    return address.endsWith('.pem') ? this.#certificate : Buffer.from('<ConfirmSubscriptionResponse/>');
  };

  /** A notification, its properties replaced by `more` before it is signed. */
  notification(message: unknown, at: Date, more: Record<string, string> = {}): Record<string, string> {
    return this.#signed(['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'], at, {
      Type: 'Notification',
      Subject: 'Amazon SES Email Event Notification',
      Message: typeof message === 'string' ? message : JSON.stringify(message),
      SignatureVersion: '2',
      ...more,
    });
  }

  /** The request to confirm a subscription. */
  confirmation(at: Date, more: Record<string, string> = {}): Record<string, string> {
    const start = 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription';
    const names = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
    return this.#signed(names, at, {
      Type: 'SubscriptionConfirmation',
      Token: '2336412f37',
      Message: 'You have chosen to subscribe to the topic.',
      SubscribeURL: `${start}&TopicArn=${this.topic}&Token=2336412f37`,
      SignatureVersion: '1',
      ...more,
    });
  }

  #signed(names: readonly string[], at: Date, of: Record<string, string>): Record<string, string> {
    const message: Record<string, string> = {
      MessageId: randomBytes(16).toString('hex'),
      TopicArn: this.topic,
      Timestamp: at.toISOString(),
      SigningCertURL: this.certificateUrl,
      ...of,
    };
    const text = names.filter((name) => message[name]).map((name) => `${name}\n${message[name]}\n`);
    const hash = message.SignatureVersion === '1' ? 'sha1' : 'sha256';
    return { ...message, Signature: sign(hash, Buffer.from(text.join('')), this.#key).toString('base64') };
  }
}

/** A subscriber whose message a relay accepted, and what names it. */
export interface WebhookReader {
  readonly db: SiteDb;
  readonly idSent: number;
  readonly id: number;
  readonly returnPath: string;
  /** Value of the message's pass-through header. */
  readonly reference: string;
}

export const mailgunKey = 'f49dc4a8d75a0cd7d0d3b1aee05ad32f';
export const webhookPassword = 'k3uV9wQ2xS7yB4nM';
export const whsec = `whsec_${randomBytes(32).toString('base64')}`;
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const sendgridKey = ec.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
const secrets = {
  ses: 'arn:aws:sns:eu-west-1:123456789012:bounces',
  mailgun: mailgunKey,
  sendgrid: ec.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  generic: whsec,
  postmark: webhookPassword,
  brevo: webhookPassword,
  mailjet: webhookPassword,
} as const satisfies Record<WebhookProvider, string>;

const nothingFetched = () => Promise.reject(new Error('nothing is to be fetched'));

/** Webhooks of an app of the tests over real HTTP: routes with webhooks, readers of messages, and what is signed. */
export class WebhookTester {
  readonly t: TestApp;
  readonly #registry = new Registry();
  #server!: Listening;
  /** Replaces the requests to Amazon. By default every one fails. */
  fetch: (address: string) => Promise<Buffer> = nothingFetched;

  private constructor(t: TestApp) {
    this.t = t;
  }

  static async start(): Promise<WebhookTester> {
    const made = new WebhookTester(await testApp());
    const fetch = (address: string) => made.fetch(address);
    made.#server = await serving(webhookHandler(made.t.app, { registry: made.#registry, fetch }));
    return made;
  }

  async close(): Promise<void> {
    await this.#server.close();
    await this.t.close();
  }

  get url(): string {
    return this.#server.url;
  }

  /** Restores the clock and `fetch`, for `beforeEach`. */
  reset(): void {
    this.t.clock.set('2026-11-20T10:00:00Z');
    this.fetch = nothingFetched;
  }

  /** Makes a route of a site with a webhook. Returns the path of its address. */
  async webhookOf(provider: WebhookProvider, site = 'demo'): Promise<string> {
    const body = { host: 'smtp.example.com', port: 587, tls: 'starttls' };
    const path = `/admin/v1/sites/${site}/routes`;
    const { data } = await this.t.call('POST', path, { body });
    const put = { provider, secret: secrets[provider] };
    const reply = await this.t.call('PUT', `${path}/${(data as { id: number }).id}/webhook`, { body: put });
    return new URL((reply.data as { address: string }).address).pathname;
  }

  async makeReader(db: SiteDb = this.t.db): Promise<WebhookReader> {
    const { idJob, idsSent } = await makeJob(db);
    const idSent = idsSent[0]!;
    const { id } = await db.one<{ id: number }>(sql`
      insert into ${db.t.subscriber} (fld1) values (gen_random_uuid() || '@reader.example') returning fld0 as id`);
    await makeReceipts(db, idJob, idSent, { accepted: [id] });
    const ids = { idSite: db.site.id, idSent, idSubscriber: id };
    const returnPath = makeReturnPath(this.t.app.secrets, ids, 'mail.test');
    return { db, idSent, id, returnPath, reference: returnPath.split('@')[0]! };
  }

  /** Signs events as each provider does. */
  sign(provider: Exclude<WebhookProvider, 'ses'>, events: object): Signed {
    const at = this.t.clock.now();
    if (provider === 'mailgun') return signMailgun(mailgunKey, events, at);
    if (provider === 'sendgrid') return signSendgrid(sendgridKey, events, at);
    return provider === 'generic' ? signGeneric(whsec, events, at) : withPassword(webhookPassword, events);
  }

  async post(path: string, { headers, body }: Signed, url = this.url) {
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body });
    return { status: response.status, text: (await response.text()).trim(), headers: response.headers };
  }

  /** The value of a metric. */
  async counted(name: string, labels: Readonly<Record<string, string>>): Promise<number> {
    const values = (await this.#registry.getSingleMetric(name)?.get())?.values ?? [];
    const fits = (of: object) =>
      Object.entries(labels).every(([key, value]) => of[key as keyof typeof of] === value);
    return values.find((one) => fits(one.labels))?.value ?? 0;
  }
}

/** Fields 44 and 7 of a reader, the counters of their sent, and how many reports are recorded. */
export async function effectOn({ db, idSent, id }: WebhookReader) {
  const row = await db.one<{ delivery: number; status: number; reports: number }>(sql`
    select fld44 as delivery, fld7 as status,
      (select count(*)::int from ${db.t.bounce} where id_subscriber = ${id}) as reports
    from ${db.t.subscriber} where fld0 = ${id}`);
  const counters = (await countersOfSents(db, [idSent])).get(idSent)!;
  const { nbHardBounces, nbSoftBounces, nbTotalBounces, nbSpamComplaints, nbDelivered } = counters;
  return { ...row, nbHardBounces, nbSoftBounces, nbTotalBounces, nbSpamComplaints, nbDelivered };
}

const noReport = { delivery: 0, status: 0, reports: 0 };
/** The effect of nothing. */
export const untouched = { ...noReport, nbTotalBounces: 0, nbSpamComplaints: 0, nbDelivered: 1 };
/** The effect of one hard bounce. */
export const hardOnce = { delivery: 2, reports: 1, nbHardBounces: 1, nbTotalBounces: 1, nbDelivered: 0 };

/** The body of a fixture that names a reader. @param name for example `hard/brevo-hard-bounce`. */
export function webhookFixture(name: string, { reference }: Pick<WebhookReader, 'reference'>) {
  const text = readFileSync(
    join(import.meta.dirname, '../bounces/webhooks/fixtures', `${name}.json`),
    'utf8',
  );
  return JSON.parse(text.replaceAll('{{reference}}', reference));
}

/** A bounce in the generic form. */
export const bouncedEvent = ({ reference }: WebhookReader, more: object = {}) => ({
  type: 'message.bounced',
  data: { message: reference, status: '5.1.1', ...more },
});
