import {
  Bool,
  Closed,
  Count,
  IdOf,
  Int32,
  inOrder,
  Nullable,
  Params,
  type Static,
  Timestamp,
  Type,
} from '../platform/http/schema.ts';
import { rateOf, suspendedLevel } from './complaint-rate.ts';

/** A pre-blocking alert, as the API shows it. */
export const Alert = Closed('Alert', {
  idSendingGroupRemoval: Type.String({ format: 'uuid', description: 'The id of the alert' }),
  groupName: Type.String({ description: "The sender's domain" }),
  faiName: Type.String({ description: 'The mailbox provider; Others for domains of no provider' }),
  nbComplaints: Count('Messages of the last `nbHours` hours that were complained about'),
  complaintRate: Type.Number({ description: 'Complaints per hundred accepted messages of these hours' }),
  siteName: Type.String(),
  alertDate: Timestamp('When its level was reached'),
  engagementDate: Nullable(Timestamp('When somebody unlocked it')),
  engagementEmail: Nullable(Type.String({ description: 'The administrator who unlocked it' })),
  scheduledActivationDate: Nullable(Timestamp('When sending resumes after the unlock')),
  level: Int32('1: a warning. 2: suspended until the rate falls. 3: suspended until it is unlocked'),
  nbHours: Int32('The hours that are judged: 1 or 24'),
  nbSent: Count('Messages that were accepted in these hours'),
  isSuspended: Bool('Whether messages of the domain to the provider wait'),
  endDate: Nullable(Timestamp()),
});
export type Alert = Static<typeof Alert>;

export const AlertParams = Params({
  id: IdOf(
    'alert',
    Type.String({ format: 'uuid', description: 'The id of the alert, as its notice gives it' }),
  ),
});

export interface StoredAlert
  extends Omit<
    Alert,
    | ('complaintRate' | 'isSuspended')
    | ('alertDate' | 'engagementDate' | 'scheduledActivationDate' | 'endDate')
  > {
  readonly raisedAt: Date;
  readonly engagedAt: Date | null;
  readonly activatesAt: Date | null;
  readonly endedAt: Date | null;
}

export function showAlert(alert: StoredAlert, at: Date): Alert {
  const { level, engagedAt, activatesAt, endedAt } = alert;
  return inOrder(Alert, {
    ...alert,
    complaintRate: Math.round(rateOf(alert) * 1_000) / 1_000,
    alertDate: alert.raisedAt.toISOString(),
    engagementDate: engagedAt?.toISOString() ?? null,
    scheduledActivationDate: activatesAt?.toISOString() ?? null,
    isSuspended: level >= suspendedLevel && endedAt === null && (activatesAt === null || activatesAt > at),
    endDate: endedAt?.toISOString() ?? null,
  });
}
