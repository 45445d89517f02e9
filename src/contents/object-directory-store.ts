import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';

/** Objects that carry a directory (a tag). */
export type TaggedKind = 'campaign' | 'sending_configuration' | 'tracked_link' | 'picture';

/** Gives an object one directory in the place of those that it had; null takes them away. */
export async function setDirectory(
  tx: SiteDb,
  kind: TaggedKind,
  idObject: number,
  idDirectory: number | null,
): Promise<void> {
  await tx.run(sql`
    delete from ${tx.t.object_directory}
    where kind = ${kind} and id_object = ${idObject} and id_directory is distinct from ${idDirectory}`);
  if (idDirectory === null) return;
  await tx.run(sql`
    insert into ${tx.t.object_directory} (kind, id_object, id_directory)
    values (${kind}, ${idObject}, ${idDirectory})
    on conflict do nothing`);
}
