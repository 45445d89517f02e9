import type { TableRecord } from '../files/table.ts';
import { copyIn } from '../platform/db/copy-in.ts';
import { copyLine } from '../platform/db/copy-line.ts';
import { advisoryLock } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { found, refused } from '../platform/http/refusal.ts';
import { pageOf } from '../platform/http/schema.ts';
import {
  type ContentDataRow,
  foldValue,
  type ListedContentData,
  maxContentLength,
  maxValueLength,
} from './content-data.ts';
import { KeyList } from './key-list-store.ts';
import { foldKey } from './tag-parser.ts';

/**
 * Replaces the rows of a key, all of them or none, in one transaction: readers see the previous rows until it commits.
 * If several rows have the same value, the last one counts. The time grows with the number of old and new rows; memory
 * does not.
 * @returns the number of different values
 * @throws 422 naming the first row that cannot be used; then nothing has changed
 */
export async function replaceContentData(
  db: SiteDb,
  key: string,
  groups: AsyncIterable<TableRecord[]>,
  at: Date,
): Promise<number> {
  return db.transaction(async (tx) => {
    // Two concurrent loads of a key would each delete only what the other has already committed.
    await lockKey(tx, key);
    await tx.run(sql`
      create temp table content_data_stage (row int not null, value text not null, content text not null)
      on commit drop`);
    await tx.withClient((client) => copyIn(client, 'pg_temp.content_data_stage', copyText(groups)));
    const before = await tx.first<{ id: number }>(sql`
      select id from ${tx.t.content_data} where folded_key = ${foldKey(key)} for update`);
    const { id } = await tx.one<{ id: number }>(sql`
      insert into ${tx.t.content_data} (folded_key, key, nb_rows, loaded_at)
      values (${foldKey(key)}, ${key}, 0, ${at})
      on conflict (folded_key) do update set id = excluded.id, loaded_at = excluded.loaded_at
      returning id`);
    const nbRows = await tx.run(sql`
      insert into ${tx.t.content_data_row} (id_data, value, content)
      select distinct on (value) ${id}::int, value, content from pg_temp.content_data_stage
      order by value, row desc`);
    await tx.run(sql`update ${tx.t.content_data} set nb_rows = ${nbRows} where id = ${id}`);
    if (before) await tx.run(sql`delete from ${tx.t.content_data_row} where id_data = ${before.id}`);
    await tx.run(sql`drop table pg_temp.content_data_stage`);
    return nbRows;
  });
}

const lockKey = (tx: SiteDb, key: string) =>
  tx.run(advisoryLock(`content-data ${tx.site.schema} ${foldKey(key)}`));

/** Deletes content data with their rows, if there are any of the key. The time grows with the rows. */
export async function deleteContentDataRows(tx: SiteDb, key: string): Promise<void> {
  // After a load of the key that has begun, whose rows would stay.
  await lockKey(tx, key);
  await tx.run(sql`
    with gone as (delete from ${tx.t.content_data} where folded_key = ${foldKey(key)} returning id)
    delete from ${tx.t.content_data_row} where id_data in (select id from gone)`);
}

async function* copyText(groups: AsyncIterable<TableRecord[]>): AsyncGenerator<string> {
  let number = 0;
  for await (const group of groups) {
    let text = '';
    for (const record of group) {
      number += 1;
      text += copyLine([number, ...rowOf(record, number)]);
    }
    yield text;
  }
}

function rowOf({ cells, fault }: TableRecord, number: number): readonly [value: string, content: string] {
  const refuse = (why: string) => refused(`dataFilePath: row ${number} ${why}; nothing was changed`);
  if (fault) throw refuse(fault);
  const [value = '', content = ''] = cells;
  if (cells.length !== 2)
    throw refuse(`has ${cells.length} columns, not 2; dataFieldTerminator must occur once in each row`);
  const folded = foldValue(value);
  if (folded === '') throw refuse('has no value in its first column');
  if (folded.length > maxValueLength)
    throw refuse(`has a value of more than ${maxValueLength} characters in its first column`);
  if (content.length > maxContentLength)
    throw refuse(`has a content of more than ${maxContentLength} characters`);
  if (value.includes('\0') || content.includes('\0')) throw refuse('contains a null character');
  return [folded, content];
}

/** The list of content data. Rows were counted when they were loaded. */
export const contentDataList = new KeyList<ListedContentData, 'Name' | 'NbRows' | 'LoadDate'>(
  'content_data',
  sql`key, nb_rows as "nbRows", loaded_at as "loadDate"`,
  { Name: sql`facteur.fold(key)`, NbRows: sql`nb_rows`, LoadDate: sql`loaded_at` },
);

export async function findContentData(db: SiteDb, key: string): Promise<ListedContentData | undefined> {
  return db.first<ListedContentData>(sql`
    select key, nb_rows as "nbRows", loaded_at as "loadDate" from ${db.t.content_data}
    where folded_key = ${foldKey(key)}`);
}

/** The most characters of a content that a list of rows shows. */
const shownLength = 1_000;

/**
 * One page of the rows of content data, in the order of their values. A page far from the beginning passes over all
 * rows before it, in an index. Of contents only what is shown is read: the length of one is stored beside it.
 * @param value only the row that readers with this value see
 * @throws 404
 */
export async function listDataRows(
  db: SiteDb,
  key: string,
  {
    value,
    start,
    limit,
  }: { readonly value: string | undefined; readonly start: number; readonly limit: number },
) {
  const { nbRows } = found(await findContentData(db, key), 'Content data', 'key');
  const from = sql`from ${db.t.content_data_row}
    where id_data = (select id from ${db.t.content_data} where folded_key = ${foldKey(key)})
      and ${value === undefined ? sql`true` : sql`value = ${foldValue(value)}`}`;
  const total = value === undefined ? nbRows : await db.value<number>(sql`select count(*) as total ${from}`);
  const items = await db.rows<ContentDataRow>(sql`
    select value, left(content, ${shownLength}) as content, octet_length(content) as size
    ${from} order by value limit ${limit} offset ${start}`);
  return pageOf(items, total, start);
}

/** The folded keys of all content data of the site. */
export async function contentDataKeys(db: SiteDb): Promise<ReadonlySet<string>> {
  const rows = await db.rows<{ key: string }>(sql`
    select folded_key as key from ${db.t.content_data} order by folded_key`);
  return new Set(rows.map(({ key }) => key));
}

/** The contents of values of one key: index look-ups of these values only. */
export async function contentOfValues(
  db: SiteDb,
  key: string,
  values: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (values.length === 0) return new Map();
  const rows = await db.rows<{ value: string; content: string }>(sql`
    select value, content from ${db.t.content_data_row}
    where id_data = (select id from ${db.t.content_data} where folded_key = ${foldKey(key)})
      and value = any(${values}::text[])`);
  return new Map(rows.map(({ value, content }) => [value, content]));
}
