import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { conflict } from '../platform/http/refusal.ts';
import { RecordStore } from './record-store.ts';
import { changeThematic, Thematic, type ThematicChange } from './thematic.ts';

export const thematics = new RecordStore<Thematic>('thematic', 'Thematic', Thematic.properties, {
  idThematic: 'id',
  idParentThematic: 'id_parent',
});

/** The names of the existing thematics among the ids, by id. */
export async function thematicNames(db: SiteDb, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.rows<{ id: number; name: string }>(sql`
    select id, name from ${db.t.thematic} where id = any(${ids}::int[])`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Adds a thematic and returns its id. @throws 404 for a nonexistent parent. */
export async function insertThematic(db: SiteDb, thematic: Omit<Thematic, 'idThematic'>): Promise<number> {
  const { idParentThematic } = thematic;
  if (idParentThematic !== null) await thematics.get(db, idParentThematic, 'idParentThematic');
  return (await thematics.insert(db, thematic)).idThematic;
}

/** Changes a thematic. @throws 404 for it or its parent, 409 for a parent that is below it */
export async function updateThematic(db: SiteDb, change: ThematicChange): Promise<void> {
  await db.transaction(async (tx) => {
    // Two concurrent changes could together make a cycle; readers are not blocked.
    await tx.run(sql`lock table ${tx.t.thematic} in share row exclusive mode`);
    const after = changeThematic(await thematics.get(tx, change.idThematic), change);
    if (after.idParentThematic !== null) await checkParent(tx, after.idThematic, after.idParentThematic);
    await thematics.update(tx, after.idThematic, after);
  });
}

async function checkParent(tx: SiteDb, id: number, idParent: number): Promise<void> {
  await thematics.get(tx, idParent, 'idParentThematic');
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
