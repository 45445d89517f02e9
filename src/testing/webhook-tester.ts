import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import type { WebhookProvider } from '../accounts/route-webhook.ts';
import { countersOfSents } from '../activity/counter-store.ts';
import { makeReturnPath } from '../activity/return-path.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from './app.ts';
import { makeJob, makeReceipts } from './make-sent.ts';
import {
  type Signed,
  signGeneric,
  signMailgun,
  signSendgrid,
  webhookServer,
  withPassword,
} from './webhooks.ts';

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
  readonly #registry: Registry;
  readonly #server: Awaited<ReturnType<typeof webhookServer>>;
  /** Replaces the requests to Amazon. By default every one fails. */
  fetch: (address: string) => Promise<Buffer> = nothingFetched;

  private constructor(t: TestApp, registry: Registry, server: Awaited<ReturnType<typeof webhookServer>>) {
    this.t = t;
    this.#registry = registry;
    this.#server = server;
  }

  static async start(): Promise<WebhookTester> {
    const t = await testApp();
    const registry = new Registry();
    const fetch = (address: string): Promise<Buffer> => made.fetch(address);
    const made: WebhookTester = new WebhookTester(
      t,
      registry,
      await webhookServer(t.app, { registry, fetch }),
    );
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
    const metrics = await this.#registry.getMetricsAsJSON();
    const { values } = metrics.find((one) => one.name === name) ?? { values: [] };
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
