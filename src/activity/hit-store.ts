import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import type { Hit, HitBatch } from './hit.ts';
import { packHits } from './packed-hits.ts';

/**
 * Stores a batch once, in one statement: the row of its source says which batch came last, and a batch that is not
 * above it adds nothing. The row's lock makes a second giver of the same batch wait for the first one's outcome, also
 * for a commit whose answer was lost with its connection. Batches of one source must be given in their order.
 * @throws TypeError for a hit that cannot be stored (packed-hits.ts).
 * @returns whether this call stored them.
 */
export async function storeHits(db: SiteDb, batch: HitBatch): Promise<boolean> {
  const statement = sql`
    with turn as (${takeTurn(db, batch)}),
    stored as (
      insert into ${db.t.hit_batch} (size, hits)
      select ${batch.hits.length}::int, ${packHits(batch.hits)}::text from turn)
    select from turn`;
  const turns =
    batch.hits.length >= busyBatch
      ? await db.prepared(`store hits of ${db.site.schema}`, statement)
      : await db.rows(statement);
  return turns.length > 0;
}

/**
 * From this size on the statement is prepared: planning is a sixth of a batch of 50 (0.89 to 0.76 ms). Smaller batches
 * are those of quiet sites, for which 66 kB on each connection would be wasted.
 */
const busyBatch = 8;

/** Adds hits without asking for a turn: after `takeBatchTurn`, in its transaction. */
export async function addHits(tx: SiteDb, hits: readonly Hit[]): Promise<void> {
  if (hits.length === 0) return;
  await tx.run(sql`
    insert into ${tx.t.hit_batch} (size, hits) values (${hits.length}::int, ${packHits(hits)}::text)`);
}

/**
 * Takes a batch's turn without storing anything; for batches that carry more than hits. To be called in the
 * transaction that does the rest of the batch's work; false when it was done before.
 */
export async function takeBatchTurn(
  tx: SiteDb,
  batch: Pick<HitBatch, 'source' | 'number'>,
): Promise<boolean> {
  return (await tx.run(takeTurn(tx, batch))) > 0;
}

/** Forgets sources that stored nothing since `before`; a batch of theirs would be taken for a new one. */
export async function forgetHitSources(db: SiteDb, before: Date): Promise<void> {
  await db.run(sql`delete from ${db.t.hit_source} where at < ${before}`);
}

function takeTurn(db: SiteDb, batch: Pick<HitBatch, 'source' | 'number'>): Sql {
  return sql`
    insert into ${db.t.hit_source} as s (source, last_batch, at)
    values (${batch.source}::uuid, ${batch.number}::bigint, now())
    on conflict (source) do update set last_batch = excluded.last_batch, at = excluded.at
    where s.last_batch < excluded.last_batch
    returning source`;
}
