import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import type { Directory, DirectoryType } from './directory.ts';

const columns: Sql = sql`id, name, is_system as "isSystem", id_parent as "idParent", dir_type as "dirType"`;

/** The directory of an id, or undefined. */
export async function findDirectory(db: SiteDb, id: number): Promise<Directory | undefined> {
  return db.first<Directory>(sql`select ${columns} from ${db.t.directory} where id = ${id}`);
}

/** The oldest directory of a name, compared without regard to case and accents, or undefined. */
export async function findDirectoryByName(db: SiteDb, name: string): Promise<Directory | undefined> {
  return db.first<Directory>(sql`
    select ${columns} from ${db.t.directory}
    where facteur.fold(name) = facteur.fold(${name})
    order by (name = ${name}) desc, id
    limit 1`);
}

/** Directories by id: those of a type, or all of them. */
export async function listDirectories(db: SiteDb, type?: DirectoryType): Promise<Directory[]> {
  return db.rows<Directory>(sql`
    select ${columns} from ${db.t.directory}
    where ${type === undefined ? sql`true` : sql`dir_type = ${type}`}
    order by id`);
}

/** Adds a directory; its id. The parent must exist. */
export async function insertDirectory(
  db: SiteDb,
  directory: Pick<Directory, 'name' | 'dirType'> & Partial<Directory>,
): Promise<number> {
  const { name, dirType, isSystem = false, idParent = null } = directory;
  const row = await db.one<{ id: number }>(sql`
    insert into ${db.t.directory} (name, is_system, id_parent, dir_type)
    values (${name}, ${isSystem}, ${idParent}, ${dirType})
    returning id`);
  return row.id;
}
