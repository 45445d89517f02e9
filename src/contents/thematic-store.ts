import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { conflict, notFound } from '../platform/http/refusal.ts';
import { changeThematic, type Thematic, type ThematicChange } from './thematic.ts';

export const thematicColumns: Sql = sql`
  id as "idThematic", id_parent as "idParentThematic", name, description, is_enabled as "isEnabled"`;

export async function findThematic(db: SiteDb, id: number): Promise<Thematic | undefined> {
  return db.first<Thematic>(sql`select ${thematicColumns} from ${db.t.thematic} where id = ${id}`);
}

/** The names of the existing thematics among the ids, by id. */
export async function thematicNames(db: SiteDb, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.rows<{ id: number; name: string }>(sql`
    select id, name from ${db.t.thematic} where id = any(${ids}::int[])`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Adds a thematic and returns its id. @throws 404 for a nonexistent parent. */
export async function insertThematic(db: SiteDb, thematic: Omit<Thematic, 'idThematic'>): Promise<number> {
  const { idParentThematic, name, description, isEnabled } = thematic;
  if (idParentThematic !== null) await mustBeThere(db, idParentThematic);
  const row = await db.one<{ id: number }>(sql`
    insert into ${db.t.thematic} (id_parent, name, description, is_enabled)
    values (${idParentThematic}, ${name}, ${description}, ${isEnabled})
    returning id`);
  return row.id;
}

/**
 * Changes a thematic.
 * @throws 404 for an unknown one or a nonexistent parent, 409 for a parent that is below it.
 */
export async function updateThematic(db: SiteDb, change: ThematicChange): Promise<void> {
  await db.transaction(async (tx) => {
    // Two concurrent changes could together make a cycle; readers are not blocked.
    await tx.run(sql`lock table ${tx.t.thematic} in share row exclusive mode`);
    const before = await findThematic(tx, change.idThematic);
    if (!before) throw notFound('Thematic');
    const after = changeThematic(before, change);
    if (after.idParentThematic !== null) await checkParent(tx, after.idThematic, after.idParentThematic);
    await tx.run(sql`
      update ${tx.t.thematic}
      set id_parent = ${after.idParentThematic}, name = ${after.name}, description = ${after.description},
        is_enabled = ${after.isEnabled}
      where id = ${after.idThematic}`);
  });
}

async function mustBeThere(db: SiteDb, idParent: number): Promise<void> {
  const parent = await findThematic(db, idParent);
  if (!parent) throw notFound('Thematic', 'idParentThematic');
}

async function checkParent(tx: SiteDb, id: number, idParent: number): Promise<void> {
  await mustBeThere(tx, idParent);
  const above = await tx.first(sql`
    with recursive above(id, id_parent) as (
      select id, id_parent from ${tx.t.thematic} where id = ${idParent}
      union
      select t.id, t.id_parent from above join ${tx.t.thematic} t on t.id = above.id_parent)
    select id from above where id = ${id}`);
  if (above)
    throw conflict(
      `idParentThematic: thematic ${idParent} is thematic ${id} itself or below it; choose another parent`,
    );
}
