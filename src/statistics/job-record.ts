import type { Counters } from '../activity/counters.ts';
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

/** The figures of a job record, in the document's order: counters (activity/counters.ts), and the audience. */
const figures = {
  nbAddressToSend: Count(),
  nbAddressSent: Count(),
  nbClicks: Count(),
  nbClickers: Count(),
  nbAdClicks: Count(),
  nbAdClickers: Count(),
  nbEditoClicks: Count(),
  nbEditoClickers: Count(),
  nbMirrorClicks: Count(),
  nbMirrorClickers: Count(),
  nbUnsubClicks: Count(),
  nbUnsubClickers: Count(),
  nbOpenings: Count(),
  nbOpeners: Count(),
  nbHumanOpenings: Count(),
  nbHumanOpeners: Count(),
  nbUnsubs: Count(),
  nbTotalBounces: Count(),
  nbHardBounces: Count(),
  nbSoftBounces: Count(),
  nbAutoRespondersBounces: Count(),
  nbDnsErrorsBounces: Count(),
  nbSpamBounces: Count(),
  nbSpamComplaints: Count(),
};

/** One generation job, with its figures of this moment. */
export const JobRecord = Closed('JobRecord', {
  idJob: Int32(),
  startDate: Nullable(Timestamp()),
  endDate: Nullable(Timestamp()),
  jobStateName: Type.String(),
  idCampaign: Int32(),
  campaignName: Type.String(),
  isTest: Bool(),
  mailObject: Type.String(),
  senderDomain: Type.String(),
  groupName: Type.String(),
  author: Type.String(),
  nbSegments: Count(),
  nbPubInsert: Count(),
  nbLinks: Count(),
  ...figures,
  jobErrorInfo: Nullable(Type.String()),
});
export type JobRecord = Static<typeof JobRecord>;

/** A job as its rows say, without what happened to its messages. */
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

/** The name of the group that a sending belongs to: sendings are grouped by their sender's domain. */
export function groupNameOf(job: Pick<JobRow, 'senderDomain'>): string {
  return job.senderDomain;
}

type Figure = keyof typeof figures;
// Object.keys forgets the names that the type knows.
const figureNames = Object.keys(figures) as Figure[];

/** A job's record; `counters` is the sum over its sents. */
export function showJob(job: JobRow, counters: Counters): JobRecord {
  const known: Readonly<Record<Figure, number>> = { ...counters, nbAddressToSend: job.nbAddressToSend };
  // Every figure is given a value right here, which fromEntries cannot tell.
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

/** Columns that a list can be sorted by in the database. */
export const jobColumns = [
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

/** Figures that a list can be sorted by, which takes those of all jobs of the list. */
export const jobCounters = figureNames.filter(
  (name): name is Exclude<Figure, 'nbAddressToSend'> => name !== 'nbAddressToSend',
);
export type JobCounter = (typeof jobCounters)[number];

export const jobSorts: readonly (JobColumn | JobCounter)[] = [...jobColumns, ...jobCounters];

export const isJobColumn = (sort: string): sort is JobColumn =>
  (jobColumns as readonly string[]).includes(sort);
