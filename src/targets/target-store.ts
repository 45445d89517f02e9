import { dropFavourites } from '../contents/favourite-store.ts';
import { replaceDirectories } from '../contents/object-directory-store.ts';
import { advisoryLock } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { conflict, found, notFound, refused } from '../platform/http/refusal.ts';
import { cycleThrough, maxSets, sizesWithExcluded, tooManySets } from './exclusions.ts';
import type { TargetFilter } from './filters/filter-kind.ts';
import type { StoredTarget, TargetDefinition, TargetParameters } from './target.ts';

/** The user who creates a target. */
export interface Author {
  readonly idUser: number;
  readonly userName: string;
}

/** Whether a target aliased `t` has a filter that excludes everyone who is not subscribed. */
export const isSafe = (db: SiteDb): Sql => sql`
  exists (select from ${db.t.target_filter} f where f.id_target = t.id and f.is_safe)`;

const parameters = sql`
  t.name, t.is_test_target as "isTestTarget", t.pct_select as "pctSelect", t.max_select as "maxSelect",
  t.is_random_mode as "isRandomMode", t.excluded_targets as "excludedTargets"`;

/** The target, archived or not. */
export async function findTarget(db: SiteDb, id: number): Promise<StoredTarget | undefined> {
  const row = await db.first<Omit<StoredTarget, 'parameters'> & TargetParameters>(sql`
    select t.id, t.created_at as "creationDate", t.updated_at as "lastUpdateDate", t.is_archived as "isArchived",
      array(select f.kind from ${db.t.target_filter} f where f.id_target = t.id) as kinds, ${isSafe(db)} as "isSafe",
      ${parameters}
    from ${db.t.target} t where t.deleted_at is null and t.id = ${id}`);
  if (!row) return undefined;
  const { creationDate, lastUpdateDate, isArchived, kinds, isSafe: safe, id: _, ...rest } = row;
  return { id, creationDate, lastUpdateDate, isArchived, kinds, isSafe: safe, parameters: rest };
}

/** @throws 404 `Target not found`. */
export async function getTargetOrRefuse(db: SiteDb, id: number): Promise<StoredTarget> {
  return found(await findTarget(db, id), 'Target');
}

/** The ids of targets that are not safe to send to, ascending; nonexistent targets count as unsafe. */
export async function unsafeTargets(db: SiteDb, ids: readonly number[]): Promise<number[]> {
  return db.values<number>(sql`
    select distinct id from unnest(${ids}::int[]) id
    where not exists (
      select from ${db.t.target} t where t.deleted_at is null and t.id = id.id and ${isSafe(db)})
    order by id`);
}

/** The first id that names no target; undefined if all exist, archived or not. */
export async function missingTarget(db: SiteDb, ids: readonly number[]): Promise<number | undefined> {
  const names = await targetNames(db, ids);
  return ids.find((id) => !names.has(id));
}

/**
 * Maximum bytes of filters in one statement. Each mention of an excluded target adds its filters again, and in this
 * process they take several times as much.
 */
const maxInStatement = 64_000_000;

/**
 * The targets and all that they exclude, at any depth, by id; nonexistent ones are absent.
 * @param ids each as often as the statement uses it
 * @throws 422 when their filters are too large for it
 */
export async function readWithExcluded(
  db: SiteDb,
  ids: readonly number[],
): Promise<Map<number, TargetDefinition>> {
  const needed = sql`
    with recursive needed(id) as (
      select unnest(${ids}::int[])
      union
      select excluded.id
      from needed join ${db.t.target} of on of.id = needed.id cross join unnest(of.excluded_targets) as excluded(id))
    select id from needed`;
  // Before they are read: two hundred targets of 8 MB each would fill the memory.
  await checkSizes(db, ids, needed);
  return readDefinitions(db, needed);
}

async function checkSizes(db: SiteDb, ids: readonly number[], needed: Sql): Promise<void> {
  const rows = await db.rows<{ id: number; excluded: number[]; bytes: number }>(sql`
    select t.id, t.excluded_targets as excluded,
      (select coalesce(sum(octet_length(f.definition::text)), 0)::bigint
       from ${db.t.target_filter} f where f.id_target = t.id and f.is_enabled) as bytes
    from ${db.t.target} t where t.deleted_at is null and t.id in (${needed})`);
  const bytes = new Map(rows.map((row) => [row.id, row.bytes]));
  const exclusions = new Map(rows.map((row) => [row.id, row.excluded]));
  const sizeOf = sizesWithExcluded(exclusions, (id) => bytes.get(id) ?? 0);
  if (ids.reduce((sum, id) => sum + sizeOf(id), 0) <= maxInStatement) return;
  const distinct = [...new Set(ids)];
  const which = distinct.length === 1 ? `target ${distinct[0]}` : `targets ${distinct.join(', ')}`;
  throw refused(
    `The filters of ${which}, with excluded targets, are larger than ${maxInStatement} bytes in total, counting ` +
      'an excluded target at each mention; use file filters for long lists',
  );
}

/** A target with its filters, without what it excludes. @throws 404 `Target not found` */
export async function getDefinition(db: SiteDb, id: number): Promise<TargetDefinition> {
  return found((await readDefinitions(db, sql`select ${id}::int`)).get(id), 'Target');
}

/** The existing targets whose ids a query returns, with their filters. */
async function readDefinitions(db: SiteDb, ids: Sql): Promise<Map<number, TargetDefinition>> {
  const rows = await db.rows<TargetParameters & { id: number; filters: TargetFilter[] }>(sql`
    select t.id, ${parameters},
      (select coalesce(json_agg(json_build_object('idTarget', f.id_target, 'kind', f.kind,
          'isEnabled', f.is_enabled, 'definition', f.definition)), '[]')
       from ${db.t.target_filter} f where f.id_target = t.id) as filters
    from ${db.t.target} t
    where t.deleted_at is null and t.id in (${ids})
    order by t.id`);
  return new Map(
    rows.map(({ id: read, filters, ...rest }) => [read, { id: read, filters, parameters: rest }]),
  );
}

/**
 * A value that changes when a target or a filter changes: a changed filter also writes its target (`touchTarget`). Its
 * time grows with the number of targets.
 */
export async function fingerprintOfTargets(db: SiteDb): Promise<string> {
  return db.value<string>(sql`
    select coalesce(sum(hashtextextended(id || ' ' || xmin, 0)), 0)::text as fingerprint from ${db.t.target}`);
}

/** The names of the existing targets, by id. */
export async function targetNames(db: SiteDb, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await db.rows<{ id: number; name: string }>(sql`
    select id, name from ${db.t.target} where deleted_at is null and id = any(${ids}::int[])`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Adds a target without filters and returns its id. `checkExclusions` comes first. */
export async function insertTarget(
  tx: SiteDb,
  parameters: TargetParameters,
  author: Author,
  at: Date,
): Promise<number> {
  const { name, isTestTarget, pctSelect, maxSelect, isRandomMode, excludedTargets } = parameters;
  return tx.value<number>(sql`
    insert into ${tx.t.target}
      (id_user, author, name, is_test_target, pct_select, max_select, is_random_mode, excluded_targets,
       created_at, updated_at)
    values (${author.idUser}, ${author.userName}, ${name}, ${isTestTarget}, ${pctSelect}, ${maxSelect},
      ${isRandomMode}, ${excludedTargets}::int[], ${at}, ${at})
    returning id`);
}

/** Replaces a target's parameters. `checkExclusions` comes first. @throws 404 for an unknown target. */
export async function updateTargetRow(
  tx: SiteDb,
  id: number,
  { name, isTestTarget, pctSelect, maxSelect, isRandomMode, excludedTargets }: TargetParameters,
  at: Date,
): Promise<void> {
  await changeRow(
    tx,
    id,
    sql`name = ${name}, is_test_target = ${isTestTarget}, pct_select = ${pctSelect}, max_select = ${maxSelect},
      is_random_mode = ${isRandomMode}, excluded_targets = ${excludedTargets}::int[], updated_at = ${at}`,
  );
}

export async function setArchived(db: SiteDb, id: number, isArchived: boolean): Promise<void> {
  await changeRow(db, id, sql`is_archived = ${isArchived}`);
}

/** Sets the time of a target's last change. @throws 404 for an unknown target. */
export async function touchTarget(tx: SiteDb, id: number, at: Date): Promise<void> {
  await changeRow(tx, id, sql`updated_at = ${at}`);
}

/** The version of a target; changes of its filters count. */
export const versionOfTarget = (db: SiteDb, id: number, isLocked: boolean) =>
  db.version(sql`from ${db.t.target} where id = ${id} and deleted_at is null`, isLocked);

/** Locks an existing target until the transaction ends. @throws 404 for an unknown target. */
export async function lockTarget(tx: SiteDb, id: number): Promise<void> {
  const row = sql`select from ${tx.t.target} where id = ${id} and deleted_at is null for update`;
  found(await tx.has(row), 'Target');
}

/** Targets for the operations that sort them. */
export const sortedTarget = {
  kind: 'target',
  name: 'Target',
  noun: 'a target',
  path: '/targets',
  param: 'idTarget',
  record: 'target',
  lock: lockTarget,
} as const;

/** Prevents changes and deletion of the existing ones of these targets until the transaction ends. */
export async function keepTargets(tx: SiteDb, ids: readonly number[]): Promise<void> {
  // Ascending, so that concurrent callers cannot deadlock.
  await tx.run(sql`select from ${tx.t.target} where id = any(${ids}::int[]) order by id for share`);
}

async function changeRow(db: SiteDb, id: number, change: Sql): Promise<void> {
  const statement = sql`update ${db.t.target} set ${change} where id = ${id} and deleted_at is null`;
  found(await db.touches(statement), 'Target');
}

/**
 * Checks that a target (undefined: a new one) may exclude others, and keeps that true until the transaction ends:
 * changes of exclusions and deletions of targets on the site wait.
 * @throws 404 for a nonexistent target, 409 when the target would exclude itself or the sets become too many.
 */
export async function checkExclusions(
  tx: SiteDb,
  id: number | undefined,
  excluded: readonly number[],
): Promise<void> {
  await lockExclusions(tx);
  const known = await tx.rows<{ id: number; excluded: number[] }>(sql`
    select id, excluded_targets as excluded from ${tx.t.target}
    where deleted_at is null and (id = any(${excluded}::int[]) or excluded_targets <> '{}')`);
  const ids = new Set(known.map((one) => one.id));
  const unknown = excluded.find((one) => !ids.has(one));
  if (unknown !== undefined) throw notFound(`Target ${unknown}`, 'excludedTargets');
  // A new target has no id yet that others could name.
  const changed = new Map(known.map((one) => [one.id, one.excluded])).set(id ?? 0, [...excluded]);
  const cycle = cycleThrough(changed, id ?? 0);
  if (cycle) throw conflict(`excludedTargets: target ${id} would exclude itself (${cycle.join(' > ')})`);
  if (tooManySets(changed) === undefined) return;
  throw conflict(
    `excludedTargets: a target would contain more than ${maxSets} excluded sets; exclude fewer targets`,
  );
}

/** Waits for other changes of exclusions and deletions on the site, and blocks them until the transaction ends. */
export async function lockExclusions(tx: SiteDb): Promise<void> {
  await tx.run(advisoryLock(`exclusions of ${tx.site.schema}`));
}

/**
 * Deletes a target. Its row stays, hidden, because segments of past campaigns refer to it; its filters, tags and
 * favourites are deleted.
 * @throws 404 for an unknown target; 409 when another target excludes it, or a campaign that is scheduled or sending
 * uses it.
 */
export async function deleteTargetRow(tx: SiteDb, id: number, at: Date): Promise<void> {
  await lockExclusions(tx);
  await changeRow(tx, id, sql`deleted_at = ${at}`);
  const campaigns = await tx.values<number>(sql`
    select id_campaign as id from ${tx.t.target_use} where id_target = ${id} order by 1`);
  if (campaigns.length > 0)
    throw conflict(
      `Target ${id} is used by campaigns that are scheduled or sending: ${campaigns.join(', ')}`,
    );
  const excluding = await tx.values<number>(sql`
    select id from ${tx.t.target}
    where deleted_at is null and excluded_targets @> array[${id}::int] order by id`);
  if (excluding.length > 0) throw conflict(`Target ${id} is excluded by targets ${excluding.join(', ')}`);
  await tx.run(sql`delete from ${tx.t.target_filter} where id_target = ${id}`);
  await replaceDirectories(tx, 'target', id, []);
  await dropFavourites(tx, 'target', id);
}
