import type { Counters } from '../activity/counters.ts';
import { figures } from '../activity/figures.ts';
import {
  Bool,
  Closed,
  Count,
  Int32,
  Nullable,
  type Static,
  Timestamp,
  Type,
} from '../platform/http/schema.ts';

/** A generation job with its current figures. */
export const JobRecord = Closed('JobRecord', {
  idJob: Int32('The job, as `afterJob` and the lists of its sendings name it'),
  startDate: Nullable(Timestamp('When the audience began to be frozen; null before')),
  endDate: Nullable(Timestamp('When the job ended; null before')),
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
  jobErrorInfo: Nullable(
    Type.String({
      description:
        'What went wrong or delays it: how many recipients were refused, expired or are uncertain, or an ' +
        'unavailable relay',
    }),
  ),
});
export type JobRecord = Static<typeof JobRecord>;

/** A job as stored, without the figures of its messages. */
export interface JobRow {
  readonly idJob: number;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly state: string;
  readonly idCampaign: number;
  readonly campaignName: string;
  readonly isTest: boolean;
  readonly subject: string;
  readonly senderDomain: string;
  readonly author: string;
  readonly nbSegments: number;
  readonly nbPubInsert: number;
  readonly nbLinks: number;
  readonly errorInfo: string | null;
  readonly nbAddressToSend: number;
  readonly idsSent: readonly number[];
}

/** The name of a sending's group: sendings are grouped by their sender's domain. */
export function groupNameOf(job: Pick<JobRow, 'senderDomain'>): string {
  return job.senderDomain;
}

type Figure = keyof typeof figures;
// Object.keys loses the names that the type knows.
const figureNames = Object.keys(figures) as Figure[];

/** A job's record; `counters` is the sum over its sendings. */
export function showJob(job: JobRow, counters: Counters): JobRecord {
  const known: Readonly<Record<Figure, number>> = { ...counters, nbAddressToSend: job.nbAddressToSend };
  // Every figure gets a value here, which fromEntries cannot show.
  const shown = Object.fromEntries(figureNames.map((name) => [name, known[name]])) as Record<Figure, number>;
  return {
    idJob: job.idJob,
    startDate: job.startedAt?.toISOString() ?? null,
    endDate: job.endedAt?.toISOString() ?? null,
    jobStateName: job.state,
    idCampaign: job.idCampaign,
    campaignName: job.campaignName,
    isTest: job.isTest,
    mailObject: job.subject,
    senderDomain: job.senderDomain,
    groupName: groupNameOf(job),
    author: job.author,
    nbSegments: job.nbSegments,
    nbPubInsert: job.nbPubInsert,
    nbLinks: job.nbLinks,
    ...shown,
    jobErrorInfo: job.errorInfo,
  };
}

/** Columns of jobs that a list can be sorted by. */
const jobColumns = [
  'id_job',
  'startDate',
  'endDate',
  'jobStateName',
  'id_campaign',
  'campaignName',
  'isTest',
  'mailObject',
  'senderDomain',
  'groupName',
  'author',
  'nbSegments',
  'nbPubInsert',
  'nbLinks',
  'nbAddressToSend',
  'jobErrorInfo',
] as const;
export type JobColumn = (typeof jobColumns)[number];

/** Figures that a list can be sorted by; this needs the figures of all jobs of the list. */
const jobCounters = figureNames.filter(
  (name): name is Exclude<Figure, 'nbAddressToSend'> => name !== 'nbAddressToSend',
);
export type JobCounter = (typeof jobCounters)[number];

export const jobSorts: readonly (JobColumn | JobCounter)[] = [...jobColumns, ...jobCounters];

export const isJobColumn = (sort: string): sort is JobColumn =>
  (jobColumns as readonly string[]).includes(sort);
