import type { TableRecord } from '../files/table.ts';
import { copyIn } from '../platform/db/copy-in.ts';
import { copyLine } from '../platform/db/copy-line.ts';
import { advisoryLock } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { refused } from '../platform/http/refusal.ts';
import { foldValue, type ListedContentData, maxContentLength, maxValueLength } from './content-data.ts';
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
    await tx.run(advisoryLock(`content-data ${tx.site.schema} ${foldKey(key)}`));
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
