import { type KeyObject, verify, X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { regionOfTopic } from '../../accounts/route-webhook.ts';
import { jsonExcess } from '../../platform/http/json-bounds.ts';
import { textAt } from './json.ts';
import { type ProvedRequest, Unproved } from './proved-request.ts';

/** Fetches an address at Amazon. @throws FetchFailure */
export type FetchOfSns = (address: string) => Promise<Buffer>;

/** Properties that a message's signature covers, in Amazon's order (“Verifying the signatures of SNS messages”). */
const ofSubscription = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
const signed: Readonly<Record<string, readonly string[]>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ofSubscription,
  UnsubscribeConfirmation: ofSubscription,
};
const hashes: Readonly<Record<string, string>> = { '1': 'sha1', '2': 'sha256' };
/** Maximum number of cached certificates, and how long each is kept. */
const maxCertificates = 20;
const certificateMs = 24 * 3_600_000;

/** Opens messages of topics of Amazon's Simple Notification Service (SNS). */
export class SnsTopics {
  readonly #fetch: FetchOfSns;
  readonly #certificates = new LRUCache<string, X509Certificate>({
    max: maxCertificates,
    ttl: certificateMs,
  });

  /** @param fetch receives only addresses of `sns.<region>.amazonaws.com`. */
  constructor(fetch: FetchOfSns) {
    this.#fetch = fetch;
  }

  /**
   * Returns the content of a message of the topic. The topic is checked before the signature, because Amazon also signs
   * the messages of other customers' topics.
   * @throws Unproved; FetchFailure when the certificate cannot be fetched.
   */
  async open(body: unknown, topic: string, now: Date): Promise<ProvedRequest> {
    const type = textAt(body, 'Type');
    const region = regionOfTopic(topic);
    const names = Object.hasOwn(signed, type) ? signed[type] : undefined;
    if (textAt(body, 'TopicArn') !== topic || region === undefined) throw new Unproved('another topic');
    if (!names) throw new Unproved('no message of SNS');
    const key = await this.#keyOf(textAt(body, 'SigningCertURL'), region, now);
    const hash = hashes[textAt(body, 'SignatureVersion')];
    // A Subject is signed only if there is one.
    const text = names
      .map((name) => [name, textAt(body, name)])
      .filter(([name, value]) => name !== 'Subject' || value);
    const data = Buffer.from(text.map(([name, value]) => `${name}\n${value}\n`).join(''));
    const signature = Buffer.from(textAt(body, 'Signature'), 'base64');
    if (hash === undefined || !verify(hash, data, key, signature)) throw new Unproved('wrong signature');
    const id = textAt(body, 'MessageId');
    if (type === 'Notification') return { events: eventsOf(textAt(body, 'Message')), id };
    if (type === 'UnsubscribeConfirmation') return { events: [], id };
    const address = textAt(body, 'SubscribeURL');
    const start = `https://sns.${region}.amazonaws.com/?Action=ConfirmSubscription&`;
    if (!address.startsWith(start)) throw new Unproved('a SubscribeURL that is not of SNS');
    return { events: [], id, confirm: async () => void (await this.#fetch(address)) };
  }

  /** The key of a certificate. Its address is checked as text, before anything could parse it differently. */
  async #keyOf(address: string, region: string, now: Date): Promise<KeyObject> {
    const [, of, file] =
      /^https:\/\/sns\.([a-z0-9-]+)\.amazonaws\.com\/([\w-]{1,100}\.pem)$/.exec(address) ?? [];
    if (of !== region || file === undefined) throw new Unproved('a SigningCertURL that is not of SNS');
    const certificate = this.#certificates.get(address) ?? certificateOf(await this.#fetch(address));
    const isValid = new Date(certificate.validFrom) <= now && now <= new Date(certificate.validTo);
    if (!isValid || certificate.publicKey.asymmetricKeyType !== 'rsa')
      throw new Unproved('a certificate that is not valid now');
    this.#certificates.set(address, certificate);
    return certificate.publicKey;
  }
}

function certificateOf(bytes: Buffer): X509Certificate {
  try {
    return new X509Certificate(bytes);
  } catch {
    throw new Unproved('no certificate at the SigningCertURL');
  }
}

/** The notification in a message; empty if the message is plain text, as for a new destination. */
function eventsOf(message: string): unknown {
  if (jsonExcess(message) !== undefined) return [];
  try {
    return JSON.parse(message);
  } catch {
    return [];
  }
}
