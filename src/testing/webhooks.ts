import { execFileSync } from 'node:child_process';
import { createHmac, randomBytes, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type WebhookOptions, webhookHandler } from '../bounces/webhook-handler.ts';
import type { App } from '../platform/app.ts';

/** Webhooks answered over real HTTP; requests to other addresses get 418. */
export async function webhookServer(app: App, options: WebhookOptions = {}) {
  const handle = webhookHandler(app, options);
  const server = createServer((request, response) => {
    if (!handle(request, response)) response.writeHead(418).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

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
      const request = [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-subj',
        '/CN=sns.amazonaws.com',
        '-days',
        '2',
      ];
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
    return this.#signed(['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'], {
      Type: 'Notification',
      MessageId: randomBytes(16).toString('hex'),
      TopicArn: this.topic,
      Subject: 'Amazon SES Email Event Notification',
      Message: typeof message === 'string' ? message : JSON.stringify(message),
      Timestamp: at.toISOString(),
      SignatureVersion: '2',
      SigningCertURL: this.certificateUrl,
      ...more,
    });
  }

  /** The request to confirm a subscription. */
  confirmation(at: Date, more: Record<string, string> = {}): Record<string, string> {
    const start = 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription';
    return this.#signed(['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'], {
      Type: 'SubscriptionConfirmation',
      MessageId: randomBytes(16).toString('hex'),
      Token: '2336412f37',
      TopicArn: this.topic,
      Message: 'You have chosen to subscribe to the topic.',
      SubscribeURL: `${start}&TopicArn=${this.topic}&Token=2336412f37`,
      Timestamp: at.toISOString(),
      SignatureVersion: '1',
      SigningCertURL: this.certificateUrl,
      ...more,
    });
  }

  #signed(names: readonly string[], message: Record<string, string>): Record<string, string> {
    const text = names.filter((name) => message[name]).map((name) => `${name}\n${message[name]}\n`);
    const hash = message.SignatureVersion === '1' ? 'sha1' : 'sha256';
    return { ...message, Signature: sign(hash, Buffer.from(text.join('')), this.#key).toString('base64') };
  }
}
