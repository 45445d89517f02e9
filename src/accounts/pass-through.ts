import type { WebhookProvider } from './route-webhook.ts';

/** Name under which providers store the reference of a message, and give it back in their reports. */
export const referenceName = 'facteur';

/** Header whose value each provider repeats in its reports on the message, by the provider's own documentation. */
const headers: Readonly<Record<WebhookProvider, (reference: string) => string>> = {
  ses: (reference) => `X-SES-MESSAGE-TAGS: ${referenceName}=${reference}`,
  mailgun: (reference) => `X-Mailgun-Variables: {"${referenceName}": "${reference}"}`,
  postmark: (reference) => `X-PM-Metadata-${referenceName}: ${reference}`,
  sendgrid: (reference) => `X-SMTPAPI: {"unique_args": {"${referenceName}": "${reference}"}}`,
  brevo: (reference) => `X-Mailin-custom: ${reference}`,
  mailjet: (reference) => `X-MJ-CustomID: ${reference}`,
  generic: (reference) => `X-Facteur-Message: ${reference}`,
};

/**
 * Returns the header line, with its end, that goes before a message to a provider. It is above the DKIM signatures and
 * in none of them, because providers remove it.
 * @param returnPath the envelope sender, whose signed local part is the reference.
 */
export function passThroughHeader(provider: WebhookProvider, returnPath: string): Buffer {
  return Buffer.from(`${headers[provider](returnPath.slice(0, returnPath.indexOf('@')))}\r\n`, 'latin1');
}
