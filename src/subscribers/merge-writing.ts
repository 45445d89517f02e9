import { columnOf, type Field } from '../fields/field.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { join, type Sql, sql } from '../platform/db/sql.ts';
import { isErased } from './erasure-store.ts';
import { systemFields, updateKeeping } from './field-change-store.ts';
import { changeOf, givenOf, type Merge, match, statusOf } from './subscriber-merge.ts';

/** Records of the subscribers that an import writes; the statements that write them insert the records. */
export interface Recording {
  readonly idImport: number;
  /** The number of subscribers whose changes are kept. */
  readonly mostChanges: number;
  /** A condition on the matched rows `m` alone: those of the step. */
  readonly which: Sql;
  /** A statement that records people. Each argument is a relation with their ids as `fld0`. */
  readonly found: (changed: Sql, matched: Sql) => Sql;
  readonly added: (added: Sql) => Sql;
}

/** Counts of the subscribers that rows were matched with. */
export interface FoundCounts {
  readonly nbUpdates: number;
  readonly nbUnchanged: number;
}

/**
 * Writes the rows where something differs, keys excepted, and records the changed and the unchanged subscribers.
 * Order: by id, as all such writers.
 */
export async function updateMatched(
  tx: SiteDb,
  merge: Merge,
  which: Sql,
  recording: Recording,
): Promise<FoundCounts> {
  const { sets, fields } = setsOf(merge, tx);
  const { differs } = changeOf(merge, tx.t);
  const besides = sql`
    matched as materialized (select m.fld0 from ${match} m where m.fld0 is not null and ${recording.which}),
    people as (${recording.found(sql`changed`, sql`matched`)})`;
  const select = sql`count(*)::int as "nbUpdates",
    (select count(*) from matched)::int - count(*)::int as "nbUnchanged"`;
  if (sets.length === 0)
    return tx.one<FoundCounts>(sql`
      with changed as (select null::int as fld0 where false), ${besides} select ${select} from changed`);
  if (recording.mostChanges <= 0)
    return tx.one<FoundCounts>(sql`
      with changed as (${plainUpdate(tx, merge, which)} returning s.fld0), ${besides} select ${select} from changed`);
  const update = {
    ...{ set: join(sets), fields, select, besides },
    rows: {
      from: sql`${match} m join ${merge.stage} i using (n) join ${tx.t.subscriber} s on s.fld0 = m.fld0`,
      where: sql`${which} and ${differs}`,
    },
  };
  const by = { cause: 'import', id: recording.idImport } as const;
  return tx.one<FoundCounts>(updateKeeping(tx, update, { at: merge.at, by, most: recording.mostChanges }));
}

/** Writes the rows as `updateMatched` does, and records nothing: for a trial, which is undone. */
export async function tryToUpdate(tx: SiteDb, merge: Merge, which: Sql): Promise<void> {
  if (setsOf(merge, tx).sets.length > 0) await tx.run(plainUpdate(tx, merge, which));
}

function plainUpdate(tx: SiteDb, merge: Merge, which: Sql): Sql {
  return sql`
    update ${tx.t.subscriber} s set ${join(setsOf(merge, tx).sets)}
    from (
      select m.fld0 as id, i.* from ${match} m join ${merge.stage} i using (n)
      where m.fld0 is not null and ${which} order by m.fld0) i
    where s.fld0 = i.id and ${changeOf(merge, tx.t).differs}`;
}

/** The values that an update sets, and the fields that it can change. */
function setsOf(merge: Merge, { t }: SiteDb): { sets: Sql[]; fields: ReturnType<typeof writtenFields> } {
  const { at } = merge;
  const { given, status, isLeaving, isReturning, hasLeft } = changeOf(merge, t);
  const brings = (id: number) => given.some(({ field }) => field.id === id);
  const kept = (field: Field, value: Sql) =>
    hasLeft && field.id === 4 ? sql`case when ${hasLeft} then s.fld4 else ${value} end` : value;
  const sets = given.map(({ field, value }) => sql`${columnOf(field)} = ${kept(field, value)}`);
  if (status) {
    sets.push(sql`fld7 = ${status}`);
    if (!brings(3)) sets.push(sql`fld3 = case when ${isReturning} then ${at} else s.fld3 end`);
    if (!brings(4)) sets.push(sql`fld4 = case when ${isLeaving} then ${at} else s.fld4 end`);
  }
  if (brings(1)) {
    // The delivery state of an address ends with it.
    const isOther = sql`lower(s.fld1) <> lower(i.fld1)`;
    if (!brings(44)) sets.push(sql`fld44 = case when ${isOther} then 0 else s.fld44 end`);
    if (!brings(45)) sets.push(sql`fld45 = case when ${isOther} then ${at} else s.fld45 end`);
  }
  return { sets, fields: writtenFields(given, status !== undefined) };
}

/** The fields that an update writes. */
function writtenFields(given: readonly { readonly field: Field }[], hasStatus: boolean) {
  const fields = given.map(({ field }) => field);
  const isOther = ({ id }: Pick<Field, 'id'>) => !fields.some((field) => field.id === id);
  const ofStatus = hasStatus ? systemFields(3, 4, 7) : [];
  const ofAddress = fields.some(({ id }) => id === 1) ? systemFields(44, 45) : [];
  return [...fields, ...[...ofStatus, ...ofAddress].filter(isOther)];
}

/**
 * Inserts the rows without a subscriber, and records and counts the new ones. As at creation: subscribed unless the
 * person was erased, dates 2 and 3 set; an unsubscribed one gets its date 4. Order: that of the file, so that ids
 * follow it, and subscribers who are exported by id and imported elsewhere keep their order.
 * @throws PostgreSQL's duplicate key when another transaction has inserted the same address in the meantime.
 */
export async function insertUnmatched(
  tx: SiteDb,
  merge: Merge,
  which: Sql,
  recording: Recording,
): Promise<number> {
  return tx.value<number>(sql`
    with added as (${insertion(tx, merge, which)} returning fld0), people as (${recording.added(sql`added`)})
    select count(*)::int as nb from added`);
}

/** Inserts the rows as `insertUnmatched` does, and records nothing: for a trial, which is undone. */
export async function tryToInsert(tx: SiteDb, merge: Merge, which: Sql): Promise<void> {
  await tx.run(insertion(tx, merge, which));
}

function insertion(tx: SiteDb, merge: Merge, which: Sql): Sql {
  const { stage, at } = merge;
  const given = givenOf(merge).filter(({ field }) => field.id !== 7);
  const brings = (id: number) => given.some(({ field }) => field.id === id);
  const asked = statusOf(merge);
  const status = brings(1) ? sql`case when ${isErased(tx.t, sql`i.fld1`)} then 1 else ${asked} end` : asked;
  const columns = [sql`fld2`, sql`fld7`, ...given.map(({ field }) => columnOf(field))];
  const values = [sql`${at}::timestamptz`, status, ...given.map(({ value }) => value)];
  if (!brings(3)) {
    columns.push(sql`fld3`);
    values.push(sql`${at}::timestamptz`);
  }
  if (!brings(4)) {
    columns.push(sql`fld4`);
    values.push(sql`case when ${status} = 1 then ${at}::timestamptz end`);
  }
  return sql`
    insert into ${tx.t.subscriber} (${join(columns)})
    select ${join(values)} from ${match} m join ${stage} i using (n)
    where m.fld0 is null and ${which} order by m.n`;
}
