import type { DeliveryOutcome } from '../mail/outcome.ts';
import type { App } from '../platform/app.ts';

/** Outcomes of messages, for the metrics. */
export const mailOutcomes = [
  'accepted',
  'deferred',
  'refused',
  'uncertain',
  'bounced',
  'complained',
] as const;
export type MailOutcome = (typeof mailOutcomes)[number];

/** Where a message goes: its site, and the provider of its address (0: none of the listed ones). */
export interface MailTo {
  readonly idSite: number;
  readonly idProvider: number;
}

const outcomeOf: Readonly<Record<DeliveryOutcome['kind'], MailOutcome | undefined>> = {
  accepted: 'accepted',
  deferred: 'deferred',
  refused: 'refused',
  unknown: 'uncertain',
  notAttempted: undefined,
};

/** Counts what happened to a message. */
export function countMail({ counts }: App, to: MailTo, outcome: MailOutcome): void {
  counts?.count({ ...to, event: `mail.${outcome}` });
}

/** Counts the result of one attempt to deliver a message. */
export function countDelivery(app: App, to: MailTo, { kind }: DeliveryOutcome): void {
  const outcome = outcomeOf[kind];
  if (outcome) countMail(app, to, outcome);
}
