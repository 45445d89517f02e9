import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { conflict, found, invalid, notFound, refused } from '../platform/http/refusal.ts';
import {
  type Directory,
  type DirectoryChange,
  type DirectoryType,
  maxDepth,
  maxDirectories,
  type SortedKind,
  typesThatSort,
} from './directory.ts';

const columns: Sql = sql`id, name, is_system as "isSystem", id_parent as "idParent", dir_type as "dirType"`;

export async function findDirectory(db: SiteDb, id: number): Promise<Directory | undefined> {
  return db.first<Directory>(sql`select ${columns} from ${db.t.directory} where id = ${id}`);
}

/** The oldest directory with a name, ignoring case and accents; undefined if there is none. */
export async function findDirectoryByName(db: SiteDb, name: string): Promise<Directory | undefined> {
  return db.first<Directory>(sql`
    select ${columns} from ${db.t.directory}
    where facteur.fold(name) = facteur.fold(${name})
    order by (name = ${name}) desc, id
    limit 1`);
}

/** The directories of a type, or all of them, by id. */
export async function listDirectories(db: SiteDb, type?: DirectoryType): Promise<Directory[]> {
  return db.rows<Directory>(sql`
    select ${columns} from ${db.t.directory}
    where ${type === undefined ? sql`true` : sql`dir_type = ${type}`}
    order by id`);
}

/** Adds a directory and returns its id. `createDirectory` checks it first. */
export async function insertDirectory(
  db: SiteDb,
  directory: Pick<Directory, 'name' | 'dirType'> & Partial<Directory>,
): Promise<number> {
  const { name, dirType, isSystem = false, idParent = null } = directory;
  return db.value<number>(sql`
    insert into ${db.t.directory} (name, is_system, id_parent, dir_type)
    values (${name}, ${isSystem}, ${idParent}, ${dirType})
    returning id`);
}

/** Creates a directory; its id. @throws 404 for the parent, 422 for its type or depth, 409 for the name or number */
export async function createDirectory(
  db: SiteDb,
  directory: Pick<Directory, 'name' | 'idParent' | 'dirType'>,
): Promise<number> {
  return db.transaction(async (tx) => {
    await lockDirectories(tx);
    if (directory.idParent !== null) await checkParent(tx, directory.idParent, directory.dirType);
    const count = await tx.value<number>(sql`select count(*) from ${tx.t.directory}`);
    if (count >= maxDirectories) throw conflict(`A site may have at most ${maxDirectories} directories`);
    await checkName(tx, directory);
    return insertDirectory(tx, directory);
  });
}

/**
 * Renames or moves a directory.
 * @throws 404 for an unknown directory or parent, 400 for a change of anything else, 422 for a system directory and for
 * a parent of another type or at the maximum depth, 409 if a directory beside it has the name, and for a parent that is
 * inside it.
 */
export async function changeDirectory(db: SiteDb, { id, ...given }: DirectoryChange): Promise<void> {
  await db.transaction(async (tx) => {
    await lockDirectories(tx);
    const before = found(await findDirectory(tx, id), 'Directory');
    for (const member of ['isSystem', 'dirType'] as const) {
      if ((given[member] ?? before[member]) !== before[member])
        throw invalid(`${member}: cannot be changed; omit it or send its current value`);
    }
    const { idParent = before.idParent } = given;
    const { name } = given;
    if (name === before.name && idParent === before.idParent) return;
    if (before.isSystem)
      throw refused(`Directory ${id} is a system directory and cannot be renamed or moved`);
    if (idParent !== null && idParent !== before.idParent) await checkMove(tx, before, idParent);
    await checkName(tx, { ...before, name, idParent });
    await tx.run(sql`update ${tx.t.directory} set name = ${name}, id_parent = ${idParent} where id = ${id}`);
  });
}

async function checkMove(tx: SiteDb, { id, dirType }: Directory, idParent: number): Promise<void> {
  const below = await tx.rows<{ id: number; level: number }>(sql`
    with recursive below(id, level) as (
      select ${id}::int, 1
      union
      select d.id, b.level + 1 from below b join ${tx.t.directory} d on d.id_parent = b.id)
    select id, level from below`);
  if (below.some((one) => one.id === idParent))
    throw conflict(
      `idParent: directory ${idParent} is directory ${id} itself or inside it; choose another parent`,
    );
  await checkParent(tx, idParent, dirType, Math.max(...below.map(({ level }) => level)));
}

/** Deletes a directory but not its objects; the caller drops references. @throws 404, 422 (system), 409 (not empty) */
export async function deleteDirectoryRow(tx: SiteDb, id: number): Promise<void> {
  await lockDirectories(tx);
  const directory = found(await findDirectory(tx, id), 'Directory');
  if (directory.isSystem) throw refused(`Directory ${id} is a system directory and cannot be deleted`);
  const inside = await tx.first<{ name: string }>(sql`
    select name from ${tx.t.directory} where id_parent = ${id} order by id limit 1`);
  if (inside)
    throw conflict(`Directory ${id} has sub-directories (“${inside.name}”); move or delete them first`);
  await tx.run(sql`delete from ${tx.t.directory} where id = ${id}`);
}

/** Concurrent changes could create the same name twice in one place; readers are not blocked. */
async function lockDirectories(tx: SiteDb): Promise<void> {
  await tx.run(sql`lock table ${tx.t.directory} in share row exclusive mode`);
}

/** @param levels of directories that the parent will contain */
async function checkParent(tx: SiteDb, idParent: number, dirType: DirectoryType, levels = 1): Promise<void> {
  const above = await tx.rows<{ id: number; dirType: DirectoryType }>(sql`
    with recursive above(id, id_parent, dir_type) as (
      select id, id_parent, dir_type from ${tx.t.directory} where id = ${idParent}
      union
      select d.id, d.id_parent, d.dir_type from above join ${tx.t.directory} d on d.id = above.id_parent)
    select id, dir_type as "dirType" from above`);
  const parent = above.find((one) => one.id === idParent);
  if (!parent) throw notFound('Directory', 'idParent');
  if (parent.dirType !== dirType)
    throw refused(`idParent: directory ${idParent} is of type ${parent.dirType}, not ${dirType}`);
  if (above.length + levels > maxDepth)
    throw refused(`idParent: directories are at most ${maxDepth} levels deep`);
}

/** Refuses a name that another directory in the same place has, ignoring case and accents. */
async function checkName(
  tx: SiteDb,
  { id, name, idParent, dirType }: Pick<Directory, 'name' | 'idParent' | 'dirType'> & Partial<Directory>,
): Promise<void> {
  const twin = await tx.first<{ id: number }>(sql`
    select id from ${tx.t.directory}
    where facteur.fold(name) = facteur.fold(${name}) and dir_type = ${dirType}
      and id_parent is not distinct from ${idParent}::int and id is distinct from ${id ?? null}::int
    limit 1`);
  if (twin) throw conflict(`name: directory ${twin.id} has this name in the same place`);
}

/** Checks a directory that a property names; null: none. @throws 404 unknown, 422 of another type, naming it */
export async function checkDirectory(
  db: SiteDb,
  kind: SortedKind,
  member: string,
  id: number | null | undefined,
): Promise<void> {
  if (id === null || id === undefined) return;
  // Prevents its deletion until the caller's transaction ends.
  const directory = await db.first<Directory>(sql`
    select ${columns} from ${db.t.directory} where id = ${id} for key share`);
  if (!directory) throw notFound('Directory', member);
  const types = typesThatSort(kind);
  if (types.includes(directory.dirType)) return;
  throw refused(
    `${member}: directory ${id} is of type ${directory.dirType}; must be of ${types.join(' or ')}`,
  );
}
