import { columnOf, type Field, type FieldType } from '../fields/field.ts';
import { emptiedSince, versionOf } from '../fields/field-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { empty, identifier, isoTime, join, raw, type Sql, sql } from '../platform/db/sql.ts';
import { invalid } from '../platform/http/refusal.ts';
import { inParts } from './answer-size.ts';
import { type ChangeRow, type ChangeSource, keptCharacters, type Writing } from './field-change.ts';

type TypedField = Pick<Field, 'id' | 'fieldType'>;

/** Types of the system's fields that statements about subscriptions write. */
const types = {
  2: 'Date',
  3: 'Date',
  4: 'Date',
  5: 'Text',
  6: 'Text',
  7: 'Integer',
  8: 'Boolean',
  10: 'Date',
  21: 'Text',
  22: 'Text',
  44: 'Integer',
  45: 'Date',
} as const satisfies Readonly<Record<number, FieldType>>;

/** Fields of the system by their ids. */
export const systemFields = (...ids: readonly (keyof typeof types)[]): TypedField[] =>
  ids.map((id) => ({ id, fieldType: types[id] }));

/** PostgreSQL takes at most 100 arguments; a field has two. */
const mostInObject = 50;

/**
 * The changed values of a row, as `subscriber_change.changes` has them; {} for none. The cost grows with the fields:
 * 15 µs for a row of which nine change, beside the 12 µs of its update.
 * @param before @param after a field's column, with the name of its row
 */
function differences(
  fields: readonly TypedField[],
  before: (field: TypedField) => Sql,
  after: (field: TypedField) => Sql,
): Sql {
  const members = distinct(fields).map((field) => {
    const [was, is] = [before(field), after(field)];
    return sql`${raw(`'${columnNumber(field)}'`)}, case when ${was} is distinct from ${is}
      then jsonb_build_array(${kept(field, was)}, ${kept(field, is)}) end`;
  });
  const objects = inParts(members, mostInObject).map((part) => sql`jsonb_build_object(${join(part)})`);
  return sql`jsonb_strip_nulls(${join(objects, ' || ')})`;
}

function columnNumber({ id }: TypedField): number {
  if (!Number.isInteger(id)) throw new Error('A field id is an integer');
  return id;
}

/** A value as it is kept: dates in UTC, whatever the session's zone; texts are cut. */
function kept({ fieldType }: TypedField, value: Sql): Sql {
  if (fieldType === 'Date') return sql`${value} at time zone 'UTC'`;
  return fieldType === 'Text' ? sql`left(${value}, ${raw(String(keptCharacters))})` : value;
}

/** An update of subscribers, of which changes are kept. */
interface KeptUpdate {
  /** Values of columns. They can name columns of the subscriber `s` and of the row `i`. */
  readonly set: Sql;
  /** Rows `i` joined with the subscribers `s` that they update, each at most once. */
  readonly rows: { readonly from: Sql; readonly where?: Sql };
  /** The fields that it may change. */
  readonly fields: readonly TypedField[];
  /** Fields that `select` names as well. */
  readonly others?: readonly TypedField[];
  /** Further steps of the statement. They can read the updated rows, with their ids as `fld0`, from `changed`. */
  readonly besides?: Sql;
  /** The columns to return of each updated row. */
  readonly select: Sql;
}

/**
 * A statement that updates subscribers, and keeps what changes in at most `most` of them. It locks the rows in the
 * order of ids, so that the values before are the latest, even if other transactions write them at the same time.
 */
export function updateKeeping(
  tx: SiteDb,
  { set, rows, fields, others = [], besides, select }: KeptUpdate,
  { at, by, most }: { readonly at: Date; readonly by: ChangeSource; readonly most?: number },
): Sql {
  const was = ({ id }: TypedField) => identifier(`was${id}`);
  const earlier = distinct(fields).map((field) => sql`, s.${columnOf(field)} as ${was(field)}`);
  const returned = distinct([...fields, ...others]).filter(({ id }) => id !== 0);
  const changes = differences(
    fields,
    (field) => sql`i.${was(field)}`,
    (field) => sql`s.${columnOf(field)}`,
  );
  return sql`
    with changed as (
      update ${tx.t.subscriber} s set ${set}
      from (
        select i.*, s.fld0 as "idSubscriber"${join(earlier, '')} from ${rows.from}
        where ${rows.where ?? sql`true`} order by s.fld0 for no key update of s) i
      where s.fld0 = i."idSubscriber"
      returning ${join([sql`s.fld0`, ...returned.map((field) => sql`s.${columnOf(field)}`)])}, ${changes} as changes),
    kept as (
      insert into ${tx.t.subscriber_change}
      select fld0, ${at}::timestamptz, ${by.cause}::text, ${by.id}::int, changes, ${versionOf(tx)}
      from changed where changes <> '{}' limit ${most ?? null}::int)
      ${besides ? sql`, ${besides}` : empty}
    select ${select} from changed`;
}

/** An update of subscribers by rows that a call gives. */
interface GivenUpdate extends Omit<KeptUpdate, 'rows'> {
  /** Rows `i`, each with an `id`; a function with its columns. */
  readonly given: Sql;
  readonly where?: Sql;
}

/** A statement that updates subscribers. Changes by a program are not kept; then no row is read or locked before. */
export function updateGiven(tx: SiteDb, { given, where, ...update }: GivenUpdate, { at, by }: Writing): Sql {
  const { subscriber } = tx.t;
  if (by) {
    const rows = { from: sql`${given} join ${subscriber} s on s.fld0 = i.id`, ...(where && { where }) };
    return updateKeeping(tx, { ...update, rows }, { at, by });
  }
  return sql`
    update ${subscriber} s set ${update.set} from ${given}
    where s.fld0 = i.id and ${where ?? sql`true`} returning ${update.select}`;
}

const distinct = (fields: readonly TypedField[]) => [
  ...new Map(fields.map((field) => [field.id, field])).values(),
];

/** Deletes the changes of subscribers who are deleted. */
export async function deleteChanges(tx: SiteDb, ids: readonly number[]): Promise<void> {
  await tx.run(sql`delete from ${tx.t.subscriber_change} where id_subscriber = any(${ids}::int[])`);
}

/** The place of a change among those of its subscriber. */
interface Place {
  readonly at: Date;
  readonly id: number;
}

/**
 * A page of a subscriber's changes, newest first, and the cursor of the next page. The caller holds the fields
 * (`holdFields`), by which the values are read.
 * @param of `before`: the cursor of the previous page
 * @throws 400 for a text that is no cursor
 */
export async function changesOf(
  tx: SiteDb,
  of: { readonly idSubscriber: number; readonly before: string | undefined; readonly limit: number },
): Promise<{ rows: ChangeRow[]; next: string | null }> {
  const place = of.before === undefined ? undefined : placeOf(of.before);
  const isBefore = place
    ? sql`(changed_at, id) < (${place.at}::timestamptz, ${place.id}::bigint)`
    : sql`true`;
  const rows = await tx.rows<ChangeRow & { id: string }>(sql`
    select c.id::text, ${isoTime(sql`c.changed_at`)} as at, c.cause, i.id as "idImport",
      case c.cause when 'import' then i.filename else u.name end as name,
      (select jsonb_agg(jsonb_build_array(key, value -> 0 #>> '{}', value -> 1 #>> '{}') order by key::int)
        from jsonb_each(c.shown)) as values
    from (
      select id, changed_at, cause, id_source, changes - ${emptiedSince(tx, sql`one.fields_version`)} as shown
      from ${tx.t.subscriber_change} one
      where id_subscriber = ${of.idSubscriber} and ${isBefore}
        and changes - ${emptiedSince(tx, sql`one.fields_version`)} <> '{}'
      order by changed_at desc, id desc limit ${of.limit + 1}::int) c
      left join ${tx.t.known_import} i on c.cause = 'import' and i.id = c.id_source
      left join facteur.app_user u on c.cause = 'user' and u.id = c.id_source
    order by c.changed_at desc, c.id desc`);
  const shown = rows.slice(0, of.limit);
  const last = shown.at(-1);
  return {
    rows: shown,
    next: rows.length > of.limit && last ? `${Date.parse(last.at)}_${last.id}` : null,
  };
}

function placeOf(cursor: string): Place {
  const found = /^(\d{1,13})_(\d{1,15})$/.exec(cursor);
  if (!found) throw invalid('before: must be the `next` of another page');
  return { at: new Date(Number(found[1])), id: Number(found[2]) };
}

/** How long changes are kept. */
const keptDays = 400;
/** The most of a site, counted by ids, some of which transactions that failed have used up. */
const mostOfSite = 5_000_000;

/** Deletes up to `most` of the oldest changes that are too old or too many; returns how many. */
export async function forgetChanges(db: SiteDb, at: Date, most: number, kept = mostOfSite): Promise<number> {
  const before = new Date(at.getTime() - keptDays * 86_400_000);
  return db.run(sql`
    delete from ${db.t.subscriber_change} where id in (
      select id from (select id, changed_at from ${db.t.subscriber_change} order by id limit ${most}) oldest
      where changed_at < ${before} or id <= (select max(id) from ${db.t.subscriber_change}) - ${kept}::bigint)`);
}
