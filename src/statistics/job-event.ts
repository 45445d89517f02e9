import {
  Closed,
  Count,
  Int32,
  Nullable,
  OneOf,
  type Static,
  Timestamp,
  Type,
} from '../platform/http/schema.ts';

const kinds = [
  'requested',
  'started',
  'deferred',
  'rejected',
  'expired',
  'paused',
  'resumed',
  'relaysAway',
  'relaysBack',
  'finished',
  'stopped',
  'failed',
] as const;

/** Something that happened in a job. */
export const JobEvent = Closed('JobEvent', {
  kind: OneOf(
    kinds,
    '`started` is the beginning of the freezing of the audience. `deferred`, `rejected` and `expired` are the first ' +
      'reply with their code. `relaysAway`: from this moment on no relay could be used, for half a minute or longer. ' +
      '`relaysBack`: one could be used again. `failed` is an end with an error',
  ),
  date: Timestamp(),
  userName: Nullable(
    Type.String({ description: 'The user who did it; null for the service, or if unknown' }),
  ),
  reason: Nullable(
    Type.String({
      description:
        'Why the service paused it, why relays were away, or how it ended; null for a user’s act and without a reason',
    }),
  ),
  code: Int32(
    'The SMTP reply code of deferred, rejected and expired; 0 of other events, or if there was no reply',
  ),
  nbPeople: Count(
    'started: recipients of the audience. deferred: those whose deferrals are still in the log; rejected, expired: ' +
      'those with this final state and code. Otherwise 0',
  ),
});
export type JobEvent = Static<typeof JobEvent>;

/** Dates and results of a job, as its row has them. */
export interface JobCourse {
  readonly state: string;
  readonly author: string;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  /** When it was last paused. */
  readonly pausedAt: Date | null;
  readonly endedAt: Date | null;
  readonly errorInfo: string | null;
  readonly nbPeople: number;
  /** Times without a relay, oldest first. */
  readonly relayOutages: readonly RelayOutage[];
}

/** A time in which no relay could be used. */
export interface RelayOutage {
  readonly since: string;
  /** null while it lasts. */
  readonly until: string | null;
  readonly why: string;
}

/** The operations that change the course of a job, as the audit log names them. */
export const courseOperations = ['sendCampaignNow', 'pauseCampaign', 'stopCampaign'] as const;

/** A user's act on a job. */
export interface JobAct {
  readonly at: Date;
  readonly operation: string;
  readonly userName: string | null;
}

/** Recipients with the same kind of reply, and when the first one came. */
export interface ReplySum {
  readonly kind: 'deferred' | 'rejected' | 'expired';
  readonly code: number;
  readonly firstAt: Date;
  readonly nbPeople: number;
}

/** The audit log has the end of a request, and the job the moment of its pause. */
const requestMs = 30_000;

interface Dated extends Omit<JobEvent, 'date'> {
  readonly at: Date;
}
const plain = { userName: null, reason: null, code: 0, nbPeople: 0 } as const;

/** Events of a job, newest first. @param acts of the time of the job, oldest first */
export function eventsOfJob(
  job: JobCourse,
  acts: readonly JobAct[],
  replies: readonly ReplySum[],
): JobEvent[] {
  const events: Dated[] = [
    { ...plain, kind: 'requested', at: job.createdAt, userName: job.author },
    ...(job.startedAt
      ? [{ ...plain, kind: 'started' as const, at: job.startedAt, nbPeople: job.nbPeople }]
      : []),
    ...replies.map(({ firstAt, ...reply }) => ({ ...plain, ...reply, at: firstAt })),
    ...job.relayOutages.flatMap(outageOf),
    ...pausesOf(job, acts),
    ...endOf(job, acts),
  ];
  // The sort is stable, and what is listed later above has happened later.
  return events
    .reverse()
    .sort((a, b) => b.at.getTime() - a.at.getTime())
    .map(({ at, ...event }) => ({ ...event, date: at.toISOString() }));
}

function outageOf({ since, until, why }: RelayOutage): Dated[] {
  const away: Dated = { ...plain, kind: 'relaysAway', at: new Date(since), reason: why };
  return until === null ? [away] : [away, { ...plain, kind: 'relaysBack', at: new Date(until) }];
}

function pausesOf(job: JobCourse, acts: readonly JobAct[]): Dated[] {
  const { pausedAt, startedAt } = job;
  const pauses = acts.filter(({ operation }) => operation === 'pauseCampaign');
  const events: Dated[] = pauses.map(({ at, userName }) => ({ ...plain, kind: 'paused', at, userName }));
  const isByUser = pauses.some(({ at }) => {
    const after = at.getTime() - (pausedAt?.getTime() ?? 0);
    return after >= 0 && after < requestMs;
  });
  if (pausedAt && !isByUser)
    events.push({
      ...{ ...plain, kind: 'paused', at: pausedAt },
      // A job that was resumed may have got another text since.
      reason: job.state === 'Paused' ? job.errorInfo : null,
    });
  const calls = acts.filter(({ operation }) => operation === 'sendCampaignNow');
  const firstPause = Math.min(...events.map(({ at }) => at.getTime()));
  // Before the first pause it is the request itself. The log may have lost it, and another request may have made it.
  const resumptions = calls.filter(
    ({ at }) => at.getTime() > firstPause || (startedAt !== null && at > startedAt),
  );
  return [
    ...events,
    ...resumptions.map(({ at, userName }) => ({ ...plain, kind: 'resumed' as const, at, userName })),
  ];
}

const ends: Readonly<Record<string, 'finished' | 'stopped' | 'failed'>> = {
  Finished: 'finished',
  FinishedWithErrors: 'finished',
  Stopped: 'stopped',
  Error: 'failed',
};

function endOf({ state, endedAt: at, errorInfo: reason }: JobCourse, acts: readonly JobAct[]): Dated[] {
  const kind = ends[state];
  if (!kind || !at) return [];
  const stop = acts.findLast(({ operation }) => operation === 'stopCampaign');
  return [{ ...plain, kind, at, reason, userName: kind === 'stopped' ? (stop?.userName ?? null) : null }];
}
