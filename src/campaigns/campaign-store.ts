import { isFavouriteOf } from '../contents/favourite-store.ts';
import { standsIn } from '../contents/object-directory-store.ts';
import type { SendingConfiguration } from '../contents/sending-configuration.ts';
import { configurations } from '../contents/sending-configuration-store.ts';
import type { HostedPicture } from '../pictures/host-pictures.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { join, type Sql, sql } from '../platform/db/sql.ts';
import { checkPageSize } from '../platform/http/page-size.ts';
import { conflict, found } from '../platform/http/refusal.ts';
import type { PageRange } from '../platform/http/schema.ts';
import { keepTargets, unsafeTargets } from '../targets/target-store.ts';
import {
  type Campaign,
  type CampaignParameters,
  type CampaignReply,
  type CampaignValues,
  emptyCampaign,
  type ListedCampaign,
  showCampaign,
} from './campaign.ts';
import type { filterOf } from './campaign-filter.ts';
import type { Schedule } from './schedule.ts';
import { checkEditable, checkMove, isPlanned, type ScheduleState } from './schedule-state.ts';

interface CampaignRow extends Omit<Campaign, 'parameters'> {
  readonly name: string;
  readonly parameters: Partial<CampaignParameters>;
}
type Contents = Pick<Campaign, 'htmlContent' | 'textContent'>;
type ListedRow = Omit<CampaignRow, keyof Contents> & Partial<Contents>;

const contents = sql`c.html_content as "htmlContent", c.text_content as "textContent"`;

/** The columns of the table aliased `c` that the API returns, without the contents. */
const columns = (db: SiteDb): Sql => sql`
  c.id, c.id_user as "authorId", c.author as "authorName", c.name, c.parameters, c.preheader,
  c.created_at as "creationDate", c.updated_at as "lastUpdateDate", c.id_camp_dynamic as "idCampDynamic",
  c.auto_host_pictures as "autoHostPictures", c.auto_host_pictures_id_directory as "autoHostPicturesIdDirectory",
  c.auto_host_pictures_result as "autoHostPicturesResult",
  c.schedule_type as "scheduleType", c.schedule_state as "scheduleState", c.calendar_dates as "calendarDates",
  (select min(d.id_directory) from ${db.t.object_directory} d
   where d.kind = 'campaign' and d.id_object = c.id) as "idDirectory",
  exists (select from ${db.t.tracked_link} l where l.id_campaign = c.id and l.is_tracked) as "isTracked"`;

export async function findCampaign(db: SiteDb, id: number): Promise<Campaign | undefined> {
  const row = await db.first<CampaignRow>(sql`
    select ${columns(db)}, ${contents} from ${db.t.campaign} c where c.id = ${id}`);
  return row && campaignOf(row);
}

/** @throws 404 */
export async function getCampaign(db: SiteDb, id: number): Promise<Campaign> {
  return found(await findCampaign(db, id), 'Campaign');
}

/** The sending configuration of a campaign, if it names one. */
export async function configurationOf(
  db: SiteDb,
  { parameters: { idConfiguration } }: Campaign,
): Promise<SendingConfiguration | undefined> {
  return idConfiguration === null ? undefined : configurations.find(db, idConfiguration);
}

/** Maximum wait of a request for a campaign. A waiting request occupies a connection that all sites share. */
const patience = '5s';

/**
 * Locks a campaign's row until the transaction ends. Every change of a campaign, its segments or its state starts here,
 * so concurrent changes run one after the other. For requests: they wait a few seconds only.
 * @throws 404, 409 if another transaction holds it for longer
 */
export async function lockCampaign(tx: SiteDb, id: number): Promise<Campaign> {
  await setLockTimeout(tx, patience);
  try {
    await lockScheduleState(tx, id);
  } catch (error) {
    if ((error as { code?: string }).code !== '55P03') throw error;
    throw conflict(`Campaign ${id} is being changed by another call; try again later`);
  }
  await setLockTimeout(tx, '0');
  return getCampaign(tx, id);
}

/** Changes a locked campaign and its time of change. @throws 404, 409 while its messages leave or another holds it */
export async function editCampaign<T>(
  { db, now }: { readonly db: SiteDb; readonly now: Date },
  id: number,
  work: (tx: SiteDb, campaign: Campaign) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    const campaign = await lockCampaign(tx, id);
    checkEditable(campaign.scheduleState);
    const result = await work(tx, campaign);
    await tx.run(sql`update ${tx.t.campaign} set updated_at = ${now} where id = ${id}`);
    return result;
  });
}

/** Locks a campaign's row for a task, which waits as long as necessary. @throws 404 */
export async function waitForCampaign(tx: SiteDb, id: number): Promise<Campaign> {
  // Two statements: a statement that waits for the lock reads its sub-selects from the snapshot of its beginning.
  await lockScheduleState(tx, id);
  return getCampaign(tx, id);
}

async function setLockTimeout(tx: SiteDb, timeout: string): Promise<void> {
  await tx.run(sql`select set_config('lock_timeout', ${timeout}, true)`);
}

export const sortedCampaign = {
  kind: 'campaign',
  name: 'Campaign',
  noun: 'a campaign',
  path: '/campaigns',
  param: 'idCampaign',
  record: 'campaign',
  lock: lockCampaign,
} as const;

function campaignOf<Row extends ListedRow>(
  row: Row,
): Omit<Row, 'name' | 'parameters'> & Pick<Campaign, 'parameters'> {
  const { name, parameters, ...rest } = row;
  return { ...rest, parameters: { ...emptyCampaign.parameters, ...parameters, name } };
}

/** Adds a campaign with state None. @returns its id */
export async function insertCampaign(
  tx: SiteDb,
  values: CampaignValues,
  author: { readonly id: number; readonly name: string },
  at: Date,
): Promise<number> {
  const { name, ...rest } = values.parameters;
  return tx.value<number>(sql`
    insert into ${tx.t.campaign}
      (id_user, author, name, parameters, html_content, text_content, preheader, id_camp_dynamic, auto_host_pictures,
       auto_host_pictures_id_directory, created_at, updated_at)
    values (${author.id}, ${author.name}, ${name}, ${JSON.stringify(rest)}::jsonb, ${values.htmlContent},
      ${values.textContent}, ${values.preheader}, ${values.idCampDynamic}, ${values.autoHostPictures},
      ${values.autoHostPicturesIdDirectory}, ${at}, ${at})
    returning id`);
}

/** Replaces the values that callers decide. */
export async function updateCampaign(
  tx: SiteDb,
  id: number,
  values: CampaignValues,
  at: Date,
): Promise<void> {
  const { name, ...rest } = values.parameters;
  await tx.run(sql`
    update ${tx.t.campaign}
    set name = ${name}, parameters = ${JSON.stringify(rest)}::jsonb, html_content = ${values.htmlContent},
      text_content = ${values.textContent}, preheader = ${values.preheader},
      id_camp_dynamic = ${values.idCampDynamic},
      auto_host_pictures = ${values.autoHostPictures},
      auto_host_pictures_id_directory = ${values.autoHostPicturesIdDirectory}, updated_at = ${at}
    where id = ${id}`);
}

/** Stores the hosting results of the pictures in a campaign's HTML; null deletes them. */
export async function setHostingResult(
  tx: SiteDb,
  id: number,
  result: readonly HostedPicture[] | null,
): Promise<void> {
  await tx.run(sql`
    update ${tx.t.campaign}
    set auto_host_pictures_result = ${result === null ? null : JSON.stringify(result)}::jsonb
    where id = ${id}`);
}

/** Moves a campaign to a state and returns the former one; locks its row. @throws 409 that names both, 404 */
export async function setScheduleState(tx: SiteDb, id: number, to: ScheduleState): Promise<ScheduleState> {
  const from = await lockScheduleState(tx, id);
  checkMove(from, to);
  const hasDates = isPlanned(to);
  await tx.run(sql`
    update ${tx.t.campaign}
    set schedule_state = ${to}, schedule_type = case when ${to === 'None'} then 'None' else schedule_type end,
      calendar_dates = case when ${hasDates} then calendar_dates else '{}' end,
      daily_schedule = case when ${hasDates} then daily_schedule end
    where id = ${id}`);
  return from;
}

/** The campaign's state; its row is locked until the transaction ends. @throws 404 */
export async function lockScheduleState(tx: SiteDb, id: number): Promise<ScheduleState> {
  // Not a stronger lock: the job of a test mailing, which refers to the campaign, can be added while another
  // transaction holds it.
  const [state] = await tx.values<ScheduleState>(sql`
    select schedule_state from ${tx.t.campaign} where id = ${id} for no key update`);
  return found(state, 'Campaign');
}

const sorts = {
  Name: () => sql`facteur.fold(c.name)`,
  Id: () => sql`c.id`,
  LastUpdateDate: () => sql`c.updated_at`,
  CreationDate: () => sql`c.created_at`,
  Author: () => sql`facteur.fold(c.author)`,
  Type: () => sql`c.parameters ->> 'type'`,
  Mode: () => sql`c.parameters ->> 'mode'`,
  LastNbAddressesCount: ({ t }) => sql`
    (select sum(s.last_count) from ${t.segment} s where s.id_campaign = c.id and not s.is_excluded)`,
  Directories: ({ t }) => sql`
    (select min(facteur.fold(n.name)) from ${t.object_directory} d
     join ${t.directory} n on n.id = d.id_directory
     where d.kind = 'campaign' and d.id_object = c.id)`,
} as const satisfies Readonly<Record<string, (db: SiteDb) => Sql>>;
// Object.keys loses the names that the type knows.
export const campaignSorts = Object.keys(sorts) as (keyof typeof sorts)[];

/** Filter of campaigns, as requests give it. Omitted properties do not restrict it. */
type CampaignFilter = Partial<ReturnType<typeof filterOf>> & {
  /** Default: archived ones and others. */
  readonly isArchive?: boolean;
  readonly states?: readonly ScheduleState[] | undefined;
};

/** A page of a list of campaigns: its filter, order and limits. */
interface CampaignPage extends CampaignFilter, PageRange<keyof typeof sorts> {
  /** Default: false. */
  readonly withContents?: boolean;
}

/** One page of campaigns, with contents if the filter requests them, and their number. @throws 413 when too large */
export async function listCampaigns(
  db: SiteDb,
  filter: CampaignPage,
): Promise<{ totalCount: number; items: ListedCampaign[] }> {
  const where = conditions(db, filter);
  const count = await db.value<number>(sql`
    select count(*) as count from ${db.t.campaign} c where ${where}`);
  const direction = filter.isDescending ? sql`desc` : sql`asc`;
  const order = sql`order by ${sorts[filter.sortBy](db)} ${direction} nulls last, c.id ${direction}`;
  // The other columns are read for the rows of the page only: PostgreSQL would compute them for every row.
  const page = sql`
    from (
      select * from ${db.t.campaign} c where ${where} ${order} limit ${filter.limit} offset ${filter.start}
    ) c`;
  if (filter.withContents) {
    // The lengths are known without reading the contents.
    const size = await db.value<number>(sql`
      select coalesce(sum(size), 0)::bigint as size
      from (select octet_length(c.html_content) + octet_length(c.text_content) as size ${page}) p`);
    checkPageSize(size);
  }
  const shown = filter.withContents ? sql`${columns(db)}, ${contents}` : columns(db);
  const rows = await db.rows<ListedRow>(sql`select ${shown} ${page} ${order}`);
  return { totalCount: count, items: rows.map(campaignOf) };
}

const isArchived = sql`coalesce((c.parameters ->> 'isArchive')::boolean, false)`;

/** The number of campaigns in each state, archived ones apart. States without a campaign are missing. */
export async function countByState(
  db: SiteDb,
  filter: CampaignFilter,
): Promise<{ state: ScheduleState; isArchive: boolean; count: number }[]> {
  return db.rows(sql`
    select c.schedule_state as state, ${isArchived} as "isArchive", count(*)::int as count
    from ${db.t.campaign} c where ${conditions(db, filter)}
    group by 1, 2 order by 1, 2`);
}

/** Users who created a campaign, by the name that they had in the newest one. */
export async function listAuthors(
  db: SiteDb,
): Promise<{ idAuthor: number; name: string; nbCampaigns: number }[]> {
  return db.rows(sql`
    select id_user as "idAuthor", (array_agg(author order by id desc))[1] as name, count(*)::int as "nbCampaigns"
    from ${db.t.campaign}
    group by id_user
    order by facteur.fold((array_agg(author order by id desc))[1]), id_user`);
}

function conditions(db: SiteDb, of: CampaignFilter): Sql {
  const all = [sql`true`];
  if (of.isArchive !== undefined) all.push(sql`${isArchived} = ${of.isArchive}`);
  if (of.states) all.push(sql`c.schedule_state = any(${of.states}::text[])`);
  if (of.createdFrom) all.push(sql`c.created_at >= ${of.createdFrom}`);
  if (of.createdTo) all.push(sql`c.created_at <= ${of.createdTo}`);
  if (of.isAbTest !== undefined) all.push(sql`(c.parameters ->> 'isAbTest')::boolean = ${of.isAbTest}`);
  if (of.isAutomation !== undefined) all.push(sql`c.is_automation = ${of.isAutomation}`);
  if (of.idAuthor !== undefined) all.push(sql`c.id_user = ${of.idAuthor}`);
  if (of.createdBy !== undefined) all.push(sql`c.id_user = ${of.createdBy}`);
  if (of.favouritesOf !== undefined) all.push(isFavouriteOf(db, of.favouritesOf, 'campaign', sql`c.id`));
  if (of.idDirectory !== undefined) all.push(standsIn(db, of.idDirectory, 'campaign', sql`c.id`));
  if (of.idTarget !== undefined) all.push(usesTarget(db, of.idTarget));
  if (of.mode !== undefined) all.push(sql`c.parameters ->> 'mode' = ${of.mode}`);
  if (of.type !== undefined) all.push(sql`c.parameters ->> 'type' = ${of.type}`);
  if (of.name) all.push(hasPart(sql`c.name`, of.name));
  if (of.text) all.push(hasText(of.text));
  return join(all, ' and ');
}

const hasPart = (text: Sql, part: string): Sql =>
  sql`strpos(facteur.fold(${text}), facteur.fold(${part})) > 0`;

/** Condition: the campaign `c` has the part in its name or subject, or the number. */
function hasText(text: string): Sql {
  const subject = sql`coalesce(c.parameters ->> 'subject', '')`;
  return sql`(${hasPart(sql`c.name`, text)} or ${hasPart(subject, text)} or c.id::text = ${text})`;
}

const usesTarget = (db: SiteDb, idTarget: number): Sql => sql`
  (exists (select from ${db.t.segment} s where s.id_campaign = c.id and s.id_target = ${idTarget})
    or (c.parameters ->> 'idTestTarget')::int = ${idTarget})`;

/** Removes a deleted directory from campaigns and their links. The time grows with the number of links. */
export async function forgetDirectory(tx: SiteDb, idDirectory: number): Promise<void> {
  await tx.run(sql`
    update ${tx.t.campaign} set auto_host_pictures_id_directory = null
    where auto_host_pictures_id_directory = ${idDirectory}`);
  await tx.run(sql`
    update ${tx.t.tracked_link} set parameters = parameters || '{"idDirectory": null}'
    where parameters -> 'idDirectory' = to_jsonb(${idDirectory}::int)`);
}

/** The schedule of a campaign with its state; without dates if it is not planned. */
export async function scheduleOf(
  db: SiteDb,
  idCampaign: number,
): Promise<Schedule & { readonly state: ScheduleState }> {
  const schedule = await db.first<Schedule & { readonly state: ScheduleState }>(sql`
    select schedule_type as type, calendar_dates as dates, daily_schedule as daily, schedule_state as state
    from ${db.t.campaign} where id = ${idCampaign}`);
  return found(schedule, 'Campaign');
}

/** Sets a campaign's schedule, its row locked. `setScheduleState` clears the dates when it is no longer planned. */
export async function setSchedule(tx: SiteDb, idCampaign: number, schedule: Schedule): Promise<void> {
  const { type, dates, daily } = schedule;
  await tx.run(sql`
    update ${tx.t.campaign}
    set schedule_type = ${type}, calendar_dates = ${dates.map((date) => date.toISOString())}::timestamptz[],
      daily_schedule = ${daily && JSON.stringify(daily)}::jsonb
    where id = ${idCampaign}`);
}

/** The unsafe targets of each campaign's segments, ascending. A campaign without any is missing. */
export async function unsafeTargetsOf(
  db: SiteDb,
  idCampaigns: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const used = await db.rows<{ idCampaign: number; ids: number[] }>(sql`
    select id_campaign as "idCampaign", array_agg(distinct id_target order by id_target) as ids
    from ${db.t.segment}
    where id_campaign = any(${idCampaigns}::int[])
    group by id_campaign`);
  const unsafe = new Set(
    await unsafeTargets(
      db,
      used.flatMap((one) => one.ids),
    ),
  );
  const found = used.map((one) => [one.idCampaign, one.ids.filter((id) => unsafe.has(id))] as const);
  return new Map(found.filter(([, ids]) => ids.length > 0));
}

/** Prevents the targets that a campaign names from being changed or deleted until the transaction ends. */
export async function keepTargetsOf(tx: SiteDb, { id, parameters }: Campaign): Promise<void> {
  const used = await tx.values<number>(sql`
    select id_target as id from ${tx.t.segment} where id_campaign = ${id}`);
  const tested = parameters.idTestTarget === null ? [] : [parameters.idTestTarget];
  await keepTargets(tx, [...used, ...tested]);
}

/** The campaign as the API returns it. @throws 404 */
export async function showById(db: SiteDb, id: number): Promise<CampaignReply> {
  return (await showAll(db, [await getCampaign(db, id)]))[0]!;
}

/** Campaigns as the API returns them, in the same order. */
export async function showAll(db: SiteDb, campaigns: readonly ListedCampaign[]): Promise<CampaignReply[]> {
  const unsafe = await unsafeTargetsOf(
    db,
    campaigns.map((campaign) => campaign.id),
  );
  return campaigns.map((campaign) => showCampaign(campaign, unsafe.get(campaign.id) ?? []));
}
