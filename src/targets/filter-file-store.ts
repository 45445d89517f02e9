import type { Field } from '../fields/field.ts';
import type { FileStat } from '../files/repository.ts';
import { copyIn } from '../platform/db/copy-in.ts';
import { copyLine } from '../platform/db/copy-line.ts';
import { advisoryLock } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { comparisonOf } from './filters/filter-file.ts';

export interface LoadedFile {
  readonly id: number;
  readonly nbValues: number;
  readonly nbBad: number;
}

/**
 * Takes the lock for loading one file for one field, until the transaction ends. A process that waited for it must
 * check again whether the file is loaded.
 */
export async function lockFile(tx: SiteDb, filename: string, field: Field): Promise<void> {
  await tx.run(advisoryLock(`filter-file ${tx.site.schema} ${field.id} ${filename}`));
}

/** The loaded values of a file in its current state; undefined if they are not loaded or the file has changed. */
export async function findLoaded(
  tx: SiteDb,
  filename: string,
  field: Field,
  stat: FileStat,
): Promise<LoadedFile | undefined> {
  return tx.first<LoadedFile>(sql`
    select id, nb_values as "nbValues", nb_bad as "nbBad" from ${tx.t.filter_file}
    where filename = ${filename} and id_field = ${field.id} and field_type = ${field.fieldType}
      and size = ${stat.size}::bigint and modified_at = ${stat.modifiedAt}
    order by id desc limit 1`);
}

/** Loads the values of a file under a new id. `counted` returns the number of bad values after the last one is read. */
export async function insertLoaded(
  tx: SiteDb,
  of: { readonly filename: string; readonly field: Field; readonly stat: FileStat; readonly at: Date },
  values: AsyncIterable<string[]>,
  counted: () => number,
): Promise<LoadedFile> {
  const { filename, field, stat, at } = of;
  await tx.run(sql`create temp table filter_file_stage (value text not null) on commit drop`);
  await tx.withClient((client) => copyIn(client, 'pg_temp.filter_file_stage', copyText(values)));
  const id = await tx.value<number>(sql`
    insert into ${tx.t.filter_file} (filename, id_field, field_type, size, modified_at, loaded_at, nb_values, nb_bad)
    values (${filename}, ${field.id}, ${field.fieldType}, ${stat.size}::bigint, ${stat.modifiedAt}, ${at}, 0,
      ${counted()})
    returning id`);
  const nbValues = await tx.run(sql`
    insert into ${tx.t.filter_file_value} (id_file, value)
    select distinct ${id}::int, ${comparisonOf(field)!.kept(sql`value`)} from pg_temp.filter_file_stage order by 2`);
  await tx.run(sql`update ${tx.t.filter_file} set nb_values = ${nbValues} where id = ${id}`);
  await tx.run(sql`drop table pg_temp.filter_file_stage`);
  return { id, nbValues, nbBad: counted() };
}

async function* copyText(groups: AsyncIterable<string[]>): AsyncGenerator<string> {
  for await (const group of groups) yield group.map((value) => copyLine([value])).join('');
}

/** Filters, enabled or not, whose date has passed and whose file has not been deleted since. */
const isDue = (at: Date) => sql`
  kind = 'file' and ended_at is null and (definition->>'fileAutomaticDeletionDate')::timestamptz <= ${at}`;

/** The names of the files whose deletion is due. */
export async function listDueFiles(db: SiteDb, at: Date): Promise<string[]> {
  return db.values<string>(sql`
    select distinct definition->>'filename' as filename from ${db.t.target_filter} where ${isDue(at)} order by 1`);
}

/** Deletes the values of a file that was deleted at the date of a filter, for all fields. */
export async function endFilesNamed(db: SiteDb, filename: string, at: Date): Promise<void> {
  await db.transaction(async (tx) => {
    await deleteWithValues(tx, sql`f.filename = ${filename}`);
    await tx.run(sql`
      update ${tx.t.target_filter} set ended_at = ${at}
      where ${isDue(at)} and definition->>'filename' = ${filename}`);
  });
}

/**
 * Deletes values that no filter uses, or only one that has ended, and those of files that have changed. It spares what
 * was loaded after `before`, which a statement may still be reading.
 */
export async function deleteUnused(db: SiteDb, before: Date): Promise<number> {
  return deleteWithValues(
    db,
    sql`
    f.loaded_at < ${before} and (
      not exists (
        select from ${db.t.target_filter} t
        where t.kind = 'file' and t.ended_at is null and t.definition->>'filename' = f.filename
          and t.definition->>'dbFieldName' = 'fld' || f.id_field)
      or exists (
        select from ${db.t.filter_file} newer
        where newer.filename = f.filename and newer.id_field = f.id_field and newer.id > f.id
          and newer.loaded_at < ${before}))`,
  );
}

/** One statement, so that no values remain without their file. */
async function deleteWithValues(db: SiteDb, condition: Sql): Promise<number> {
  return db.run(sql`
    with gone as (delete from ${db.t.filter_file} f where ${condition} returning f.id)
    delete from ${db.t.filter_file_value} v using gone where v.id_file = gone.id`);
}
