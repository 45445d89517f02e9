import { createHash, createHmac, timingSafeEqual, verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { signingKey, type WebhookProvider } from '../../accounts/route-webhook.ts';
import { textAt } from './json.ts';
import { NoPassword, type ProvedRequest, Unproved } from './proved-request.ts';
import type { SnsTopics } from './sns.ts';

/** A request to the address of a webhook. */
export interface WebhookRequest {
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The bytes as JSON. */
  readonly body: unknown;
}

/** The time, and the topics of Amazon. */
export interface ProofTools {
  readonly now: Date;
  readonly topics: SnsTopics;
}

type Prove = (
  request: WebhookRequest,
  secret: string,
  tools: ProofTools,
) => ProvedRequest | Promise<ProvedRequest>;

const minute = 60_000;
const hour = 60 * minute;
/** Maximum time by which a provider's clock may be ahead of ours. */
const maxAheadMs = 5 * minute;
/**
 * Maximum age of a signed request. Providers repeat a request that they signed once, so each is longer than the
 * provider's retries.
 */
export const maxAgeMs = {
  ses: 2 * hour,
  mailgun: 9 * hour,
  sendgrid: 25 * hour,
  generic: 5 * minute,
} as const;

const proofs: Readonly<Record<WebhookProvider, Prove>> = {
  ses: ({ body }, topic, { topics, now }) => {
    checkTime(Date.parse(textAt(body, 'Timestamp')), maxAgeMs.ses, now);
    return topics.open(body, topic, now);
  },
  mailgun: proveMailgun,
  sendgrid: proveSendgrid,
  generic: proveGeneric,
  postmark: provePassword,
  brevo: provePassword,
  mailjet: provePassword,
};

/**
 * Returns a request's events if it is proved by the secret of its webhook.
 * @throws Unproved; FetchFailure when a certificate cannot be fetched.
 */
export async function proveWebhook(
  provider: WebhookProvider,
  request: WebhookRequest,
  secret: string,
  tools: ProofTools,
): Promise<ProvedRequest> {
  return proofs[provider](request, secret, tools);
}

/** Mailgun, “Securing webhooks”: the signature covers the time and a token, not the events. */
function proveMailgun({ body }: WebhookRequest, key: string, { now }: ProofTools): ProvedRequest {
  const of = (name: string) => textAt(body, 'signature', name);
  const [timestamp, token] = [of('timestamp'), of('token')];
  const expected = createHmac('sha256', key).update(`${timestamp}${token}`).digest();
  checkSame(expected, Buffer.from(of('signature'), 'hex'));
  checkTime(Number(timestamp) * 1000, maxAgeMs.mailgun, now);
  return { events: body, id: token };
}

/** SendGrid, “Signed Event Webhook”: ECDSA over the time and the bytes of the body. */
function proveSendgrid(
  { headers, bytes, body }: WebhookRequest,
  key: string,
  { now }: ProofTools,
): ProvedRequest {
  const timestamp = header(headers, 'x-twilio-email-event-webhook-timestamp');
  const signature = Buffer.from(header(headers, 'x-twilio-email-event-webhook-signature'), 'base64');
  const signed = Buffer.concat([Buffer.from(timestamp), bytes]);
  const publicKey = { key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' } as const;
  if (!verify('sha256', signed, publicKey, signature)) throw new Unproved('wrong signature');
  checkTime(Number(timestamp) * 1000, maxAgeMs.sendgrid, now);
  // Not the signature: another valid one can be derived from it.
  return { events: body, id: createHash('sha256').update(signed).digest('base64') };
}

/** Maximum number of signatures in a request, which has several while its key is changed. */
const maxSignatures = 10;

/** Standard Webhooks: HMAC-SHA256 over the id, the time and the bytes of the body. */
function proveGeneric(
  { headers, bytes, body }: WebhookRequest,
  secret: string,
  { now }: ProofTools,
): ProvedRequest {
  const [id, timestamp] = [header(headers, 'webhook-id'), header(headers, 'webhook-timestamp')];
  // A stored secret was checked; without a key nothing is proved.
  const key = signingKey(secret);
  if (!key || id === '') throw new Unproved('no webhook-id');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(bytes).digest();
  const given = header(headers, 'webhook-signature').split(' ').slice(0, maxSignatures);
  const signatures = given
    .filter((one) => one.startsWith('v1,'))
    .map((one) => Buffer.from(one.slice(3), 'base64'));
  if (!signatures.some((one) => isSame(expected, one))) throw new Unproved('wrong signature');
  checkTime(Number(timestamp) * 1000, maxAgeMs.generic, now);
  return { events: body, id };
}

const user = 'facteur';

/** Basic authentication, as in `https://facteur:password@…`, or the password as a bearer token. */
function provePassword({ headers, body }: WebhookRequest, password: string): ProvedRequest {
  if (headers.authorization === undefined) throw new NoPassword('no password');
  const [, scheme = '', value = ''] =
    /^(basic|bearer) +([\w.~+/=-]{1,400})$/i.exec(headers.authorization ?? '') ?? [];
  const isBasic = scheme.toLowerCase() === 'basic';
  const given = isBasic ? Buffer.from(value, 'base64').toString() : `${user}:${value}`;
  checkSame(sha256(`${user}:${password}`), sha256(given));
  return { events: body };
}

function checkTime(atMs: number, maxAge: number, now: Date): void {
  const age = now.getTime() - atMs;
  if (!(age <= maxAge && age >= -maxAheadMs)) throw new Unproved('too old, or without a time');
}

function checkSame(expected: Buffer, given: Buffer): void {
  if (!isSame(expected, given)) throw new Unproved('wrong signature or password');
}

const isSame = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
const header = (headers: IncomingHttpHeaders, name: string): string => String(headers[name] ?? '');
