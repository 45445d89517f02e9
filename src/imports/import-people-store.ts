import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import type { Recording } from '../subscribers/merge-writing.ts';
import type { Person } from '../subscribers/person.ts';
import { isAmong, type PeoplePage, pageWithText, type TextSearch } from '../subscribers/search-store.ts';

/** The ways in which a run treats people, as `import_people` has them. */
export const peopleKinds = ['new', 'changed', 'unchanged'] as const;
export type PeopleKind = (typeof peopleKinds)[number];

/** One run of an import. */
export interface RunOfPeople {
  readonly idImport: number;
  readonly run: number;
}

/** Ids of a part have these last bits, so that a row has at most 65,536 and a page reads only some rows. */
const partBits = 16;
const partOf = (id: Sql) => sql`${id} >> ${partBits}::int`;

const largestId = 2147483647;

/** The ids of a relation by parts. The range of the largest id has no end. */
const partsOf = (people: Sql) => sql`
  select ${partOf(sql`fld0`)} as part, range_agg(int4range(fld0, nullif(fld0, ${largestId}::int) + 1)) as people
  from ${people} group by 1`;

/**
 * Statements that record the people of a run. They are steps of those that write the rows of the file, so that both are
 * committed or neither. They take 0.5 s of processor time for a million people, half of them new.
 */
export function recordingOf(
  { t }: SiteDb,
  { idImport, run }: RunOfPeople,
): Pick<Recording, 'found' | 'added'> {
  const record = (people: Sql) => sql`
    insert into ${t.import_people} (id_import, run, kind, part, people)
    select ${idImport}::int, ${run}::int, kind, part, people from (${people}) p where not isempty(people)`;
  return {
    found: (changed, matched) =>
      record(sql`
        with changed_part as (${partsOf(changed)})
        select 'changed' as kind, part, people from changed_part
        union all
        select 'unchanged', part, m.people - coalesce(c.people, '{}')
        from (${partsOf(matched)}) m left join changed_part c using (part)`),
    added: (added) => record(sql`select 'new' as kind, part, people from (${partsOf(added)}) a`),
  };
}

/** Maximum number of reads for one page; the next page continues after the last. */
const mostReads = 20;

interface Wanted extends RunOfPeople {
  readonly kind: PeopleKind;
  /** Only people who have a text. */
  readonly search?: TextSearch | undefined;
  /** Only ids above this one. */
  readonly after: number;
  readonly most: number;
}

/**
 * A page of the people of a run who still exist, by id. It reads ranges of ids until it is full, `mostReads`
 * times at most: its cost does not grow with the import, and a page can be short although others follow.
 * @returns also the id after which the next page begins; null after the last one
 */
export async function peopleOfRun(
  db: SiteDb,
  { most, search, ...of }: Wanted,
): Promise<{ people: Person[]; next: number | null }> {
  if (search !== undefined) {
    const found = await pageWithText(search, { after: of.after, most }, (page) =>
      recordedAmong(db, { ...of, ...page }),
    );
    return { people: found, next: found.length === most ? found.at(-1)!.idSubscriber : null };
  }
  const people: Person[] = [];
  let { after } = of;
  for (let reads = 0; reads < mostReads; reads++) {
    const wanted = most - people.length;
    const ranges = await nextRanges(db, { ...of, after, most: wanted });
    const last = ranges.at(-1);
    if (!last) return { people, next: null };
    people.push(...(await existing(db, ranges, wanted)));
    after = people.length === most ? people.at(-1)!.idSubscriber : last.to;
    if (people.length === most) break;
  }
  return { people, next: after };
}

/** Ids from one to another, both included. */
interface IdRange {
  readonly from: number;
  readonly to: number;
}

/** The next ranges after an id, of the first part that has any; none at the end. */
function nextRanges(db: SiteDb, { idImport, run, kind, after, most }: Wanted): Promise<IdRange[]> {
  // No id is larger than the largest integer.
  if (after >= largestId) return Promise.resolve([]);
  const first = after + 1;
  const people = sql`
    from ${db.t.import_people} where id_import = ${idImport} and run = ${run} and kind = ${kind}
      and part >= ${partOf(sql`${first}::int`)} and coalesce(upper(people) > ${first}::int, true)`;
  return db.rows<IdRange>(sql`
    select lower(r) as "from", coalesce(upper(r)::bigint - 1, ${largestId})::int as "to"
    from (
      select unnest(range_agg(people) * int4multirange(int4range(${first}::int, null))) as r ${people}
      and part = (select min(part) ${people})) ranges
    order by 1 limit ${most}`);
}

/** The people in ranges who still exist, by id. */
function existing(db: SiteDb, ranges: readonly IdRange[], most: number): Promise<Person[]> {
  const [from, to] = [ranges.map((one) => one.from), ranges.map((one) => one.to)];
  return db.rows<Person>(sql`
    select s.fld0 as "idSubscriber", s.fld1 as email
    from unnest(${from}::int[], ${to}::int[]) r (first, last)
      cross join lateral (
        select fld0, fld1 from ${db.t.subscriber} where fld0 between r.first and r.last order by fld0 limit ${most}) s
    order by 1 limit ${most}`);
}

/** The people of a run among some ids, by id. */
function recordedAmong(
  db: SiteDb,
  { idImport, run, kind, after, most, among }: Wanted & PeoplePage,
): Promise<Person[]> {
  // The ranges of each part are taken out once: to look an id up in a part reads all of its ranges.
  const [first, last] = [Math.max(after + 1, among?.[0] ?? 0), among?.at(-1) ?? largestId];
  return db.rows<Person>(sql`
    with range as materialized (
      select distinct lower(r) as first, coalesce(upper(r)::bigint - 1, ${largestId}) as last
      from ${db.t.import_people} p cross join unnest(p.people) r
      where id_import = ${idImport} and run = ${run} and kind = ${kind}
        and part between ${partOf(sql`${first}::int`)} and ${partOf(sql`${last}::int`)}),
    id as (
      select generate_series(greatest(range.first, ${first}::int)::bigint, least(range.last, ${last}::bigint)) as id
      from range)
    select s.fld0 as "idSubscriber", s.fld1 as email from ${db.t.subscriber} s
    where s.fld0 > ${after} and ${isAmong(sql`s.fld0`, among)} and s.fld0 in (select id from id)
    order by 1 limit ${most}`);
}

/** Whether the people of a run are recorded: not of older versions, nor of a run that wrote no row. */
export const isRecorded = (db: SiteDb, { idImport, run }: RunOfPeople): Promise<boolean> =>
  db.has(sql`select from ${db.t.import_people} where id_import = ${idImport} and run = ${run} limit 1`);

/** Forgets the people of all runs of an import. */
export async function forgetPeople(tx: SiteDb, idImport: number): Promise<void> {
  await tx.run(sql`delete from ${tx.t.import_people} where id_import = ${idImport}`);
}

/** Joins what the steps of a run recorded, so that neighbours of several steps become one range. */
export async function joinParts(db: SiteDb, { idImport, run }: RunOfPeople): Promise<void> {
  await db.run(sql`
    with gone as (
      delete from ${db.t.import_people} where id_import = ${idImport} and run = ${run} returning kind, part, people)
    insert into ${db.t.import_people} (id_import, run, kind, part, people)
    select ${idImport}::int, ${run}::int, kind, part, range_agg(people) from gone group by kind, part`);
}

/** How long the people of a run are recorded, as changes of fields are. */
export const keptDays = 400;
/** The most bytes of what a site records; a range of neighbours takes at most 13. */
const mostBytes = 1_073_741_824;

/**
 * Forgets the people of runs that ended too long ago, of deleted imports, and of the oldest runs of a site that has
 * recorded more than `most` bytes.
 */
export async function forgetOldPeople(db: SiteDb, now: Date, most = mostBytes): Promise<void> {
  const before = new Date(now.getTime() - keptDays * 86_400_000);
  await db.run(sql`
    with recorded as (
      select id_import, run, sum(pg_column_size(people)) as size from ${db.t.import_people} group by id_import, run),
    dated as (
      select r.id_import, r.run, l.ended_at, i.id is null as is_deleted,
        sum(size) over (order by l.ended_at desc nulls first, r.id_import desc, r.run desc) as total
      from recorded r
        left join ${db.t.import} i on i.id = r.id_import and not i.is_deleted
        left join ${db.t.import_log} l on l.id_import = r.id_import and l.run = r.run)
    delete from ${db.t.import_people} p using dated d
    where p.id_import = d.id_import and p.run = d.run
      and (is_deleted or ended_at < ${before} or (ended_at is not null and total > ${most}))`);
}
