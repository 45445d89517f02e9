import type { SiteDb } from '../platform/db/site-db.ts';
import { empty, raw, type Sql, sql } from '../platform/db/sql.ts';
import type { PageRange } from '../platform/http/schema.ts';
import { foundByGeneration } from '../sending/job-store.ts';
import { type JobRow, jobCounters } from './job-record.ts';

/** A filter of jobs. Omitted properties do not restrict. */
export interface JobFilter {
  /** Bounds of the start, or of the request if the job has not started; both inclusive. */
  readonly span?: { readonly from: Date; readonly to: Date } | undefined;
  readonly idsCampaign?: readonly number[] | undefined;
  /** Only the newest job of each campaign that has started and meets the other conditions. */
  readonly isLast?: boolean;
  /** Part of the campaign's name, ignoring case and accents. */
  readonly search?: string | undefined;
  /** The campaign's type, as campaigns/campaign.ts names it. */
  readonly campaignType?: string | undefined;
  /** Directories of the campaign, of which it must have one. */
  readonly idsDirectory?: readonly number[] | undefined;
  /** The author's name, ignoring case and accents. */
  readonly author?: string | undefined;
  readonly hasTests: boolean;
}

/** Columns that a list can be sorted by. */
const sorts = {
  id_job: sql`j.id`,
  startDate: sql`j.started_at`,
  endDate: sql`j.ended_at`,
  jobStateName: sql`j.state`,
  id_campaign: sql`j.id_campaign`,
  campaignName: sql`facteur.fold(j.campaign_name)`,
  isTest: sql`j.is_test`,
  mailObject: sql`facteur.fold(j.subject)`,
  senderDomain: sql`j.sender_domain`,
  groupName: sql`j.sender_domain`,
  author: sql`facteur.fold(j.author)`,
  nbSegments: sql`j.nb_segments`,
  nbPubInsert: sql`j.nb_pub_insert`,
  nbLinks: sql`j.nb_links`,
  nbAddressToSend: sql`"nbAddressToSend"`,
  jobErrorInfo: sql`j.error_info`,
} as const satisfies Readonly<Record<string, Sql>>;
export type JobColumn = keyof typeof sorts;
// Object.keys loses the names that the type knows.
export const jobSorts = [...(Object.keys(sorts) as JobColumn[]), ...jobCounters];
export const isJobColumn = (sort: string): sort is JobColumn => sort in sorts;

type Order = Pick<PageRange<JobColumn>, 'sortBy' | 'isDescending'>;

/** Jobs in an order, equal ones by their ids, empty values last; all of them without a limit. */
export async function listJobRows(
  db: SiteDb,
  filter: JobFilter,
  { sortBy, isDescending, start = 0, limit }: Order & Partial<PageRange<JobColumn>>,
): Promise<JobRow[]> {
  const direction = raw(isDescending ? 'desc nulls last' : 'asc nulls last');
  return db.rows<JobRow>(sql`
    ${selectJobs(db)}
    where ${filter.isLast ? isLastOf(db, filter) : conditionOf(db, filter)}
    order by ${sorts[sortBy]} ${direction}, j.id ${direction}
    limit ${limit ?? null}::int offset ${start}::int`);
}

/** The real jobs of a campaign in the order of their requests; test mailings are omitted. */
export async function realJobsOf(db: SiteDb, idCampaign: number): Promise<JobRow[]> {
  return db.rows<JobRow>(sql`
    ${selectJobs(db)}
    where j.id_campaign = ${idCampaign} and not j.is_test
    order by j.id`);
}

/** The group of a job's sending; undefined if the job has no such sending. */
export async function jobOfSending(
  db: SiteDb,
  idJob: number,
  idSent: number,
): Promise<Pick<JobRow, 'senderDomain'> | undefined> {
  return db.first<Pick<JobRow, 'senderDomain'>>(sql`
    select j.sender_domain as "senderDomain"
    from ${db.t.sent} s join ${db.t.job} j on j.id = s.id_job
    where s.id = ${idSent} and j.id = ${idJob}`);
}

function selectJobs(db: SiteDb): Sql {
  return sql`
    select j.id as "idJob", j.started_at as "startDate", j.ended_at as "endDate",
      j.state as "jobStateName", j.id_campaign as "idCampaign", j.campaign_name as "campaignName",
      j.is_test as "isTest", j.subject as "mailObject", j.sender_domain as "senderDomain", j.author,
      j.nb_segments as "nbSegments", j.nb_pub_insert as "nbPubInsert", j.nb_links as "nbLinks",
      j.error_info as "jobErrorInfo", s."nbAddressToSend", s."idsSent",
      case when j.state = 'Finished' then 0 else (
        select coalesce(sum(nb_uncertain), 0)::bigint from ${db.t.recipient_range} where id_job = j.id
      ) end as "nbUncertain"
    from ${db.t.job} j
    cross join lateral (
      select case when j.state = 'Generating' then (${foundByGeneration(db, sql`j.id`)})
          else coalesce(sum(nb_address_to_send), 0)::bigint end as "nbAddressToSend",
        coalesce(array_agg(id order by id), '{}') as "idsSent"
      from ${db.t.sent} where id_job = j.id) s`;
}

function conditionOf(db: SiteDb, filter: JobFilter): Sql {
  const { span, idsCampaign, search, campaignType, idsDirectory, author, hasTests } = filter;
  return sql`
    true
    ${span ? sql`and coalesce(j.started_at, j.created_at) between ${span.from} and ${span.to}` : empty}
    ${idsCampaign ? sql`and j.id_campaign = any(${idsCampaign}::int[])` : empty}
    ${hasTests ? empty : sql`and not j.is_test`}
    ${search ? sql`and position(facteur.fold(${search}) in facteur.fold(j.campaign_name)) > 0` : empty}
    ${author ? sql`and facteur.fold(j.author) = facteur.fold(${author})` : empty}
    and (${campaignType ?? null}::text is null or exists (
      select from ${db.t.campaign} c
      where c.id = j.id_campaign and coalesce(c.parameters ->> 'type', 'Unknown') = ${campaignType ?? null}))
    and (${idsDirectory ?? null}::int[] is null or exists (
      select from ${db.t.object_directory} d
      where d.kind = 'campaign' and d.id_object = j.id_campaign
        and d.id_directory = any(${idsDirectory ?? null}::int[])))`;
}

/** Condition: the job `j` is the newest of its campaign that has started and meets the filter. */
const isLastOf = (db: SiteDb, filter: JobFilter): Sql => sql`
  j.id in (
    select max(j.id) from ${db.t.job} j
    where ${conditionOf(db, filter)} and j.started_at is not null
    group by j.id_campaign)`;
