import { createPublicKey } from 'node:crypto';
import { Closed, Line, Maybe, OneOf, ReadOnly, type Static, Type } from '../platform/http/schema.ts';

/** Sending providers whose webhooks are read; `generic` is any other program that signs by Standard Webhooks. */
export const webhookProviders = [
  'ses',
  'mailgun',
  'postmark',
  'sendgrid',
  'brevo',
  'mailjet',
  'generic',
] as const;
export type WebhookProvider = (typeof webhookProviders)[number];

const secretText =
  'ses: the ARN of the SNS topic. mailgun: the HTTP webhook signing key. sendgrid: the verification key. ' +
  'postmark, brevo, mailjet: any password. generic: `whsec_` and a key of 24 to 64 bytes in base64. ' +
  'Default: the stored secret, if the provider stays the same';

export const RouteWebhookInputSchema = Closed('RouteWebhookInput', {
  provider: OneOf(webhookProviders),
  secret: Maybe(Line(1_000, secretText)),
  address: ReadOnly(),
});
export type RouteWebhookInput = Static<typeof RouteWebhookInputSchema>;

/** A webhook as administration shows it; the secret is never shown. */
export const RouteWebhookSchema = Closed('RouteWebhook', {
  provider: OneOf(webhookProviders),
  address: Type.String({ description: 'The address to enter at the provider' }),
});
export type RouteWebhookShown = Static<typeof RouteWebhookSchema>;

export interface RouteWebhook {
  readonly idSite: number;
  readonly provider: WebhookProvider;
  readonly secret: string;
}

const topicArn = /^arn:aws:sns:([a-z]{2}(?:-[a-z]+)+-\d{1,2}):\d{12}:[\w-]{1,256}$/;
const password = 'must be 16 to 128 characters: letters, digits, and . _ ~ -';

/** Returns the AWS region of an SNS topic; undefined if the text is not its ARN. */
export const regionOfTopic = (arn: string): string | undefined => topicArn.exec(arn)?.[1];

/** Returns the key in a secret of Standard Webhooks; undefined if the text is not one. */
export function signingKey(secret: string): Buffer | undefined {
  const text = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1];
  const key = text === undefined ? undefined : Buffer.from(text, 'base64');
  return key && key.length >= 24 && key.length <= 64 ? key : undefined;
}

/** Returns why a text cannot be the secret of a provider's webhook; undefined if it can. */
export function secretProblem(provider: WebhookProvider, secret: string): string | undefined {
  switch (provider) {
    case 'ses':
      return regionOfTopic(secret) === undefined
        ? 'must be the ARN of an SNS topic, for example arn:aws:sns:eu-west-1:123456789012:bounces'
        : undefined;
    case 'mailgun':
      return /^[\x21-\x7e]{16,200}$/.test(secret)
        ? undefined
        : 'must be the HTTP webhook signing key: 16 to 200 ASCII characters without spaces';
    case 'sendgrid':
      return isVerificationKey(secret)
        ? undefined
        : 'must be the verification key that SendGrid shows, a public key (ECDSA, P-256) in base64';
    case 'generic':
      return signingKey(secret) ? undefined : 'must be whsec_ and a key of 24 to 64 bytes in base64';
    default:
      return /^[\w.~-]{16,128}$/.test(secret) ? undefined : password;
  }
}

function isVerificationKey(text: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}
