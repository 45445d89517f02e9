import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { type HitPack, mergePacks } from './packed-hits.ts';

/** Hits of a row: fewer rows are stored and folded faster, and a row is held in memory whole. */
const hitsOfRow = 2_000;

/** Adds hits. Whether they are there already is the caller's to know: `startTurn`. */
export async function addHits(tx: SiteDb, packs: readonly HitPack[]): Promise<void> {
  const rows = mergePacks(packs, hitsOfRow);
  if (rows.length === 0) return;
  await tx.run(sql`
    insert into ${tx.t.hit_batch} (size, hits)
    select * from unnest(${rows.map((row) => row.size)}::int[], ${rows.map((row) => row.hits)}::text[])`);
}

/**
 * The number of the last batch that a source has stored on this site, 0 at first. A source numbers its batches upwards
 * and gives them in their order, again when a commit was lost sight of: what is not above the number is stored. To be
 * called in the transaction that stores the rest and ends with `endTurn`: the row's lock makes a second giver of the
 * same batches wait for the first one's outcome, also for a commit whose answer was lost with its connection.
 * @param source UUID.
 */
export async function startTurn(tx: SiteDb, source: string): Promise<number> {
  const { last } = await tx.one<{ last: number }>(sql`
    insert into ${tx.t.hit_source} as s (source, last_batch, at) values (${source}::uuid, 0, now())
    on conflict (source) do update set at = excluded.at
    returning last_batch as last`);
  return last;
}

/** Says that all batches of the source up to `number` are stored on this site. */
export async function endTurn(tx: SiteDb, source: string, number: number): Promise<void> {
  await tx.run(sql`
    update ${tx.t.hit_source} set last_batch = ${number}::bigint where source = ${source}::uuid`);
}

/** Days after which a source that stored nothing more is forgotten. */
export const hitSourceDays = 30;

/** Forgets sources that stored nothing since `before`; a batch of theirs would be taken for a new one. */
export async function forgetHitSources(db: SiteDb, before: Date): Promise<void> {
  await db.run(sql`delete from ${db.t.hit_source} where at < ${before}`);
}
