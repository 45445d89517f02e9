import type { Counters } from '../activity/counters.ts';
import { figures, moreFigures } from '../activity/figures.ts';
import {
  Bool,
  Closed,
  Count,
  Instant,
  Int32,
  inOrder,
  Nullable,
  type Static,
  Type,
} from '../platform/http/schema.ts';

/** A generation job with its current figures. */
export const JobRecord = Closed('JobRecord', {
  idJob: Int32('The job, as `afterJob` and the lists of its sendings name it'),
  startDate: Nullable(Instant('When the audience began to be frozen; null before')),
  endDate: Nullable(Instant('When the job ended; null before')),
  jobStateName: Type.String({ description: 'The job’s state, for example Sending or FinishedWithErrors' }),
  idCampaign: Int32('The campaign that was sent'),
  campaignName: Type.String({ description: 'The name that the campaign had then' }),
  isTest: Bool('A test mailing: its figures are in no other sum'),
  mailObject: Type.String({ description: 'The subject of the first segment, tags unfilled' }),
  senderDomain: Type.String({ description: 'The domain of the sender’s address' }),
  groupName: Type.String({ description: 'What sendings are grouped by: the sender’s domain' }),
  author: Type.String({ description: 'The user who sent it' }),
  nbSegments: Count('Segments that are sent to, excluded ones not among them'),
  nbPubInsert: Count(
    'Advertisement placements, summed over the segments; a campaign’s statistics call it nbAd',
  ),
  nbLinks: Count('Tracked links of the messages, those of advertisements among them'),
  ...figures,
  nbHumanClickers: moreFigures.nbHumanClickers,
  nbAddressToSend: Count(
    'Recipients when the audience was frozen; while it is being frozen, those found so far, in thousands',
  ),
  nbUncertain: Count('Recipients of whom it is not known whether the relay accepted the message'),
  jobErrorInfo: Nullable(
    Type.String({
      description:
        'What went wrong or delays it: how many recipients were refused, expired or are uncertain, or an ' +
        'unavailable relay',
    }),
  ),
});
export type JobRecord = Static<typeof JobRecord>;

/** A job as stored, without the counters of its messages. */
export interface JobRow extends Omit<JobRecord, 'groupName' | JobCounter> {
  readonly idsSent: readonly number[];
}

/** A job's record; `counters` is the sum over its sendings. */
export function showJob(job: JobRow, counters: Counters): JobRecord {
  return inOrder(JobRecord, { ...counters, ...job, groupName: job.senderDomain });
}

/** Figures that a list can be sorted by; this needs the figures of all jobs of the list. */
const { nbAddressToSend: _, ...counted } = { ...figures, nbHumanClickers: moreFigures.nbHumanClickers };
export type JobCounter = keyof typeof counted;
// Object.keys loses the names that the type knows.
export const jobCounters = Object.keys(counted) as JobCounter[];
