import { createHash, randomBytes } from 'node:crypto';
import { maxDepth } from '../contents/directory.ts';
import { dropFavourites } from '../contents/favourite-store.ts';
import {
  isListedAt,
  type Located,
  replaceDirectories,
  setDirectory,
} from '../contents/object-directory-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { join, type Sql, sql } from '../platform/db/sql.ts';
import { found, notFound, refused } from '../platform/http/refusal.ts';
import type { PageRange } from '../platform/http/schema.ts';
import type { PictureFile, PictureType, StoredPicture } from './picture.ts';

const columns = (db: SiteDb): Sql => sql`
  p.id as "idPicture", p.name, p.author, p.created_at as "creationDate", p.updated_at as "lastUpdateDate",
  f.size as "fileSize", f.width || 'x' || f.height as "pictureDim", p.file_name as "fileName", f.key, f.type,
  coalesce((
    with recursive up as (
      select d.id_parent, d.name as path, 1 as level
      from ${db.t.object_directory} o join ${db.t.directory} d on d.id = o.id_directory
      where o.kind = 'picture' and o.id_object = p.id
      union all
      select d.id_parent, d.name || '/' || up.path, level + 1
      from up join ${db.t.directory} d on d.id = up.id_parent
      where level < ${maxDepth})
    select path from up order by level desc limit 1) || '/', '') || p.file_name as "filePath"`;

const from = (db: SiteDb, pictures: Sql = db.t.picture): Sql => sql`
  from ${pictures} p join ${db.t.picture_file} f on f.sha256 = p.sha256`;

export interface PictureValues {
  readonly name: string;
  readonly fileName: string;
  readonly idDirectory: number | null;
  readonly author: { readonly id: number; readonly name: string };
  readonly at: Date;
}

/** Adds a picture; equal bytes are stored once. @param quotaBytes of the site, 0: none @throws 422 beyond it */
export async function insertPicture(
  tx: SiteDb,
  file: PictureFile,
  values: PictureValues,
  quotaBytes: number,
): Promise<StoredPicture> {
  const sha256 = await keepFile(tx, file, quotaBytes);
  const id = await tx.value<number>(sql`
    insert into ${tx.t.picture} (id_user, author, name, file_name, created_at, updated_at, sha256)
    values (${values.author.id}, ${values.author.name}, ${values.name}, ${values.fileName}, ${values.at}, ${values.at},
      ${sha256})
    returning id`);
  await setDirectory(tx, 'picture', id, values.idDirectory);
  return tx.one<StoredPicture>(sql`select ${columns(tx)} ${from(tx)} where p.id = ${id}`);
}

/** Adds a picture, or returns the oldest one with the same bytes in the same directory. */
export async function insertPictureOnce(
  tx: SiteDb,
  file: PictureFile,
  values: PictureValues,
  quotaBytes: number,
): Promise<StoredPicture> {
  const known = await tx.first<StoredPicture>(sql`
    select ${columns(tx)} ${from(tx)}
    where p.sha256 = ${digestOf(file)} and (
      select min(o.id_directory) from ${tx.t.object_directory} o where o.kind = 'picture' and o.id_object = p.id
    ) is not distinct from ${values.idDirectory}::int
    order by p.id limit 1`);
  return known ?? insertPicture(tx, file, values, quotaBytes);
}

const digestOf = (file: PictureFile): Buffer => createHash('sha256').update(file.content).digest();

async function keepFile(tx: SiteDb, file: PictureFile, quotaBytes: number): Promise<Buffer> {
  const sha256 = digestOf(file);
  const { type, width, height, content } = file;
  // Locked against `deletePictureRow` until this picture refers to it.
  const known = await tx.first(sql`
    select from ${tx.t.picture_file} where sha256 = ${sha256} for key share`);
  if (known) return sha256;
  // Concurrent uploads are not counted: the quota keeps a disk from filling, not from a few pictures.
  const stored = () => tx.value<number>(sql`select coalesce(sum(size), 0)::bigint from ${tx.t.picture_file}`);
  if (quotaBytes > 0 && (await stored()) + content.length > quotaBytes)
    throw refused(
      `The pictures of the site would exceed ${quotaBytes} bytes (FACTEUR_PICTURE_QUOTA_MB); delete some first`,
    );
  // A concurrent insert of the same bytes waits for the first and adds nothing.
  await tx.run(sql`
    insert into ${tx.t.picture_file} (sha256, key, type, width, height, size, content)
    values (${sha256}, ${randomBytes(16).toString('base64url')}, ${type}, ${width}, ${height}, ${content.length},
      ${content})
    on conflict (sha256) do nothing`);
  return sha256;
}

/** The bytes at a public address. */
export async function findFile(db: SiteDb, key: string, type: PictureType): Promise<Buffer | undefined> {
  const file = await db.first<{ content: Buffer }>(sql`
    select content from ${db.t.picture_file} where key = ${key} and type = ${type}`);
  return file?.content;
}

/** The key of a picture's file, by which its address is known; undefined if there is no such picture. */
export async function findPictureKey(db: SiteDb, id: number): Promise<string | undefined> {
  const file = await db.first<{ key: string }>(sql`
    select f.key from ${db.t.picture} p join ${db.t.picture_file} f on f.sha256 = p.sha256 where p.id = ${id}`);
  return file?.key;
}

export const sortedPicture = {
  kind: 'picture',
  name: 'Picture',
  noun: 'a picture',
  path: '/pictures',
  param: 'idPicture',
  record: 'picture',
  lock: lockPicture,
} as const;

async function lockPicture(tx: SiteDb, id: number): Promise<void> {
  found(await tx.has(sql`select from ${tx.t.picture} where id = ${id} for update`), 'Picture');
}

/** Renames a picture; false if there is no such picture. */
export async function updatePictureName(db: SiteDb, id: number, name: string, at: Date): Promise<boolean> {
  return db.touches(sql`
    update ${db.t.picture} set name = ${name}, updated_at = ${at} where id = ${id}`);
}

/** Archives or unarchives a picture. @throws 404 */
export async function setPictureArchived(db: SiteDb, id: number, isArchived: boolean): Promise<void> {
  const change = sql`update ${db.t.picture} set is_archived = ${isArchived} where id = ${id}`;
  found(await db.touches(change), 'Picture');
}

/** Deletes a picture, and its file unless another has it; returns the key of a deleted file. @throws 404 */
export async function deletePictureRow(tx: SiteDb, id: number): Promise<string | undefined> {
  const deleted = await tx.first<{ sha256: Buffer }>(sql`
    delete from ${tx.t.picture} where id = ${id} returning sha256`);
  if (!deleted) throw notFound('Picture');
  await replaceDirectories(tx, 'picture', id, []);
  await dropFavourites(tx, 'picture', id);
  // The lock first: a concurrent upload of the same bytes is waited for, and its picture is seen.
  await tx.run(sql`select from ${tx.t.picture_file} where sha256 = ${deleted.sha256} for update`);
  const file = await tx.first<{ key: string }>(sql`
    delete from ${tx.t.picture_file} f
    where f.sha256 = ${deleted.sha256} and not exists (
      select from ${tx.t.picture} p where p.sha256 = f.sha256)
    returning f.key`);
  return file?.key;
}

const sorts = {
  Name: sql`facteur.fold(p.name)`,
  Id: sql`p.id`,
  LastUpdate: sql`p.updated_at`,
  Author: sql`facteur.fold(p.author)`,
  RandomMode: sql`random()`,
  PictureSize: sql`f.size`,
  FileName: sql`facteur.fold(p.file_name)`,
} as const;
// Object.keys loses the names that the type knows.
export const pictureSorts = Object.keys(sorts) as (keyof typeof sorts)[];

export const pictureLocations = ['All', 'MyFavorites', 'MyCreated', 'Archives'] as const;

/** A filter, order and page of pictures. Omitted properties do not restrict. */
interface PictureFilter extends Located<string>, PageRange<keyof typeof sorts> {
  /** Parts of the names, ignoring case and accents. */
  readonly name?: string | undefined;
  readonly fileName?: string | undefined;
}

/** One page of pictures, and their total number. */
export async function listStoredPictures(
  db: SiteDb,
  filter: PictureFilter,
): Promise<{ totalCount: number; items: StoredPicture[] }> {
  const where = join(conditionsOf(db, filter), ' and ');
  const count = await db.value<number>(sql`
    select count(*) as count from ${db.t.picture} p where ${where}`);
  const direction = filter.isDescending ? sql`desc` : sql`asc`;
  const order = sql`order by ${sorts[filter.sortBy]} ${direction}, p.id ${direction}`;
  // The file is joined only if it is the sort order, and directories only for the page's rows.
  const sorted = filter.sortBy === 'PictureSize' ? from(db) : sql`from ${db.t.picture} p`;
  const page = sql`(select p.* ${sorted} where ${where} ${order} limit ${filter.limit} offset ${filter.start})`;
  const items = await db.rows<StoredPicture>(sql`select ${columns(db)} ${from(db, page)} ${order}`);
  return { totalCount: count, items };
}

function conditionsOf(db: SiteDb, filter: PictureFilter): Sql[] {
  const { name, fileName } = filter;
  const conditions = [isListedAt(db, filter, 'picture', sql`p`, sql`p.is_archived`)];
  if (name) conditions.push(sql`strpos(facteur.fold(p.name), facteur.fold(${name})) > 0`);
  if (fileName) conditions.push(sql`strpos(facteur.fold(p.file_name), facteur.fold(${fileName})) > 0`);
  return conditions;
}
