import type { Readable } from 'node:stream';
import type pg from 'pg';
import { columnOf, type Field } from '../fields/field.ts';
import { holdFields } from '../fields/field-store.ts';
import { csvLine } from '../files/csv-reader.ts';
import { copyOut } from '../platform/db/copy-out.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { join, raw, type Sql, sql } from '../platform/db/sql.ts';
import { conflict } from '../platform/http/refusal.ts';
import type { Selection } from '../targets/selection.ts';
import { setDateOutput } from './date-output.ts';
import type { Encoding } from './export.ts';
import type { ExportSettings } from './export-settings.ts';
import { escapedFormula, escapedValue } from './formula.ts';

/** The rows of an export as PostgreSQL writes them: UTF-8, quoted as in RFC 4180, LF at the end of each. */
export interface ExportRows {
  /** The line of names, written in the same way. */
  readonly header: string;
  readonly rows: Readable;
}

/**
 * Reads an export's rows, in a selection that keeps one snapshot: the file is the site at one moment, whatever is
 * written while the file is being transferred.
 * @throws 404 when the target no longer exists, 409 when a field is, or has changed so that a filter has lost its
 * meaning.
 */
export async function openRows(selection: Selection, of: ExportSettings): Promise<ExportRows> {
  const { tx } = selection;
  const fields = new Map((await holdFields(tx)).map((field) => [field.id, field]));
  const columns = [
    ...of.idsFields.map((id) => cellFrom(tx, fieldOf(fields, id), of)),
    ...(of.idsEncodeFields.length > 0 ? [hashColumn(tx, fields, of)] : []),
  ];
  await freezeIds(selection, of);
  // Not before: filters have their own idea of time.
  await setDateOutput(tx);
  const query = sql`
    select ${join(columns.map((column) => column.value))}
    from pg_temp.export_ids i join ${tx.t.subscriber} s on s.fld0 = i.id
    ${join([sql``, ...columns.flatMap((column) => column.from ?? [])], '\n')}
    order by s.fld0`;
  return {
    header: headerOf(
      columns.map((column) => column.name),
      of.separator,
    ),
    rows: await copyRows(tx, query, of.separator),
  };
}

/** Bytes that a reader would take for a byte-order mark, in either code page. */
const marks = /^(\ufeff|ï»¿|ÿþ|þÿ)/;

function headerOf(names: readonly string[], delimiter: string): string {
  const shape = { delimiter, qualifier: '"', rowDelimiter: '\n' };
  const line = csvLine(names, shape).replace(/\r\n$/, '\n');
  return marks.test(line) ? line.replace(names[0]!, () => `"${names[0]}"`) : line;
}

interface Column {
  readonly name: string;
  readonly value: Sql;
  /** A table that the value needs. */
  readonly from?: Sql;
}

function fieldOf(fields: ReadonlyMap<number, Field>, id: number): Field {
  const field = fields.get(id);
  if (!field) throw conflict(`Field fld${id} no longer exists`);
  return field;
}

/** A column as a reader of the file sees it. */
function cellFrom(tx: SiteDb, field: Field, of: ExportSettings): Column {
  const column = columnFrom(tx, field, of);
  if (!of.escapesFormulas) return column;
  // Nothing else can begin like a formula but a negative number, and that is a number to a spreadsheet, too.
  const isText = field.fieldType === 'Text' || (field.fieldType === 'List' && of.listsAsText);
  return {
    ...column,
    name: escapedFormula(column.name),
    value: isText ? escapedValue(column.value) : column.value,
  };
}

function columnFrom(tx: SiteDb, field: Field, { listsAsText }: ExportSettings): Column {
  const { name, id, fieldType } = field;
  const column = sql`s.${columnOf(field)}`;
  // Field 8 is a Boolean that is kept as the number it is written as.
  if (fieldType === 'Boolean' && id !== 8) return { name, value: sql`${column}::int` };
  if (fieldType === 'Date')
    // PostgreSQL writes such a time by itself, faster than by to_char (see `setDateOutput`).
    return { name, value: sql`date_trunc('second', ${column}::timestamp)` };
  if (fieldType !== 'List' || !listsAsText) return { name, value: column };
  // Joined and not spelled out: a list may have 10,000 entries, and a COPY takes no parameters.
  const list = raw(`list${id}`);
  return {
    name,
    value: sql`coalesce(${list}.value, ${column}::text)`,
    from: sql`left join (
        select (entry ->> 'key')::int as key, entry ->> 'value' as value
        from ${tx.t.field} f cross join jsonb_array_elements(f.list) entry where f.id = ${raw(String(id))}
      ) ${list} on ${list}.key = ${column}`,
  };
}

/** The values as they are in the file, one after the other; an empty one adds nothing. */
function hashColumn(tx: SiteDb, fields: ReadonlyMap<number, Field>, of: ExportSettings): Column {
  const parts = of.idsEncodeFields.map((id) => columnFrom(tx, fieldOf(fields, id), of));
  const joins = parts
    .filter((_, i) => !of.idsFields.includes(of.idsEncodeFields[i]!))
    .flatMap((part) => part.from ?? []);
  const value = hashes[of.encoding](sql`concat(${join(parts.map((part) => part.value))})`);
  return { name: 'hash', value, ...(joins.length > 0 && { from: join(joins, '\n') }) };
}

const hashes: Record<Encoding, (text: Sql) => Sql> = {
  None: (text) => text,
  MD5: (text) => sql`md5(${text})`,
  SHA1: (text) => sql`encode(facteur.digest(convert_to(${text}, 'UTF8'), 'sha1'), 'hex')`,
  SHA2_256: (text) => sql`encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`,
  SHA2_512: (text) => sql`encode(sha512(convert_to(${text}, 'UTF8')), 'hex')`,
};

/** Freezes the target's ids in a temporary table: a COPY takes no parameters, and a random cut is drawn once. */
async function freezeIds(selection: Selection, { idTarget, quantity }: ExportSettings): Promise<void> {
  const { tx } = selection;
  await tx.run(sql`create temporary table export_ids (id int not null) on commit drop`);
  const first = quantity === null ? sql`` : sql`order by fld0 limit ${quantity}::int`;
  await selection.evaluate([idTarget], async (members) => {
    await tx.run(sql`set transaction read only`);
    const set = members.get(idTarget)!.query;
    await tx.run(sql`insert into pg_temp.export_ids select fld0 from (${set}) as selected ${first}`);
  });
  // Without a count of them PostgreSQL may join a few as it would a million, or a million as it would a few.
  await tx.run(sql`analyze pg_temp.export_ids`);
}

/** Reads the rows of a query as CSV. @throws Error for a query with parameters, which a COPY does not take */
export async function copyRows(tx: SiteDb, query: Sql, separator: string): Promise<Readable> {
  // Only names and numbers of our own, and a separator that was checked: nothing of a caller is in the text.
  if (query.values.length > 0) throw new Error('A COPY takes no parameters');
  const statement = `copy (${query.text}) to stdout (format csv, delimiter '${separator.replace("'", "''")}')`;
  return tx.withClient(async (client: pg.PoolClient) => copyOut(client, statement));
}
