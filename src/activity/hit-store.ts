import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { type HitPack, mergePacks } from './packed-hits.ts';

/** Hits in a row: fewer rows are stored and aggregated faster, and a row is in memory as a whole. */
const hitsOfRow = 2_000;

/** Adds hits. The caller ensures by `startTurn` that they are not stored yet. */
export async function addHits(tx: SiteDb, packs: readonly HitPack[]): Promise<void> {
  const rows = mergePacks(packs, hitsOfRow);
  if (rows.length === 0) return;
  await tx.run(sql`
    insert into ${tx.t.hit_batch} (size, hits)
    select * from unnest(${rows.map((row) => row.size)}::int[], ${rows.map((row) => row.hits)}::text[])`);
}

/**
 * Starts storing batches of a source, and returns the number of the last one stored on this site; 0 at first. A source
 * numbers its batches upwards and stores them in order, and repeats them after an in-doubt commit: only those above the
 * number are missing. The transaction that stores them calls this first and ends with `endTurn`. The lock on the row
 * makes a second writer of the same batches wait for the outcome of the first, even for a commit whose reply was lost.
 * @param source UUID.
 */
export async function startTurn(tx: SiteDb, source: string): Promise<number> {
  return tx.value<number>(sql`
    insert into ${tx.t.hit_source} as s (source, last_batch, at) values (${source}::uuid, 0, now())
    on conflict (source) do update set at = excluded.at
    returning last_batch as last`);
}

/** Records that all batches of the source up to `number` are stored on this site. */
export async function endTurn(tx: SiteDb, source: string, number: number): Promise<void> {
  await tx.run(sql`
    update ${tx.t.hit_source} set last_batch = ${number}::bigint where source = ${source}::uuid`);
}

/** Days after which an idle source is deleted. */
export const hitSourceDays = 30;

/** Deletes sources that stored nothing since `before`; a batch from them would then count as new. */
export async function forgetHitSources(db: SiteDb, before: Date): Promise<void> {
  await db.run(sql`delete from ${db.t.hit_source} where at < ${before}`);
}
