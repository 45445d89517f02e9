import type { WebhookProvider } from '../../accounts/route-webhook.ts';
import { readBrevo } from './brevo.ts';
import { readGeneric } from './generic.ts';
import { readMailgun } from './mailgun.ts';
import { readMailjet } from './mailjet.ts';
import { readPostmark } from './postmark.ts';
import type { ProviderReport } from './provider-report.ts';
import { readSendgrid } from './sendgrid.ts';
import { readSes } from './ses.ts';

/** The reader of each provider's events; a body of another form has no reports. */
const readers: Readonly<Record<WebhookProvider, (body: unknown) => ProviderReport[]>> = {
  ses: readSes,
  mailgun: readMailgun,
  postmark: readPostmark,
  sendgrid: readSendgrid,
  brevo: readBrevo,
  mailjet: readMailjet,
  generic: readGeneric,
};

/** Returns the bounces, complaints and automatic replies in the body of a webhook; its other events are omitted. */
export function readWebhook(provider: WebhookProvider, body: unknown): ProviderReport[] {
  return readers[provider](body);
}
