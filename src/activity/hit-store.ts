import {
  booleanArray,
  int2Array,
  int4Array,
  int8Array,
  textArray,
  timestamptzArray,
} from '../platform/db/binary-array.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import type { Hit, HitBatch } from './hit.ts';

// Straight into the part for what is not folded yet: it has no index, and to find the part costs too (fold-store.ts).
const columns = sql`
  at, kind, class, rules_version, is_mobile, id_sent, id_subscriber, id_link, is_viral, user_agent, address`;

/**
 * Stores a batch once, in one statement: the row of its source says which batch came last, and a batch that is not
 * above it adds nothing. The row's lock makes a second giver of the same batch wait for the first one's outcome, also
 * for a commit whose answer was lost with its connection. Batches of one source must be given in their order.
 * @returns whether this call stored them.
 */
export async function storeHits(db: SiteDb, batch: HitBatch): Promise<boolean> {
  const statement = sql`
    with turn as (${takeTurn(db, batch)}),
    stored as (
      insert into ${db.t.hit_new} (${columns})
      select h.* from turn, ${rowsOf(batch.hits)} h)
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
  await tx.run(sql`insert into ${tx.t.hit_new} (${columns}) select h.* from ${rowsOf(hits)} h`);
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

/** Columns as arrays: the statement's text stays the same whatever the number of hits. */
function rowsOf(hits: readonly Hit[]): Sql {
  const ints = (of: (hit: Hit) => number) => int4Array(hits.map(of));
  const smallInts = (of: (hit: Hit) => number) => int2Array(hits.map(of));
  const booleans = (of: (hit: Hit) => boolean) => booleanArray(hits.map(of));
  const texts = (of: (hit: Hit) => string | null) => textArray(hits.map(of));
  return sql`(select at, kind, class, rules_version, is_mobile, id_sent, id_subscriber, id_link, is_viral, user_agent,
      address::inet
    from unnest(
      ${timestamptzArray(hits.map((hit) => hit.at))}::timestamptz[], ${smallInts((hit) => hit.kind)}::smallint[],
      ${smallInts((hit) => hit.class)}::smallint[], ${smallInts((hit) => hit.rulesVersion)}::smallint[],
      ${booleans((hit) => hit.isMobile)}::boolean[], ${ints((hit) => hit.idSent)}::int[],
      ${ints((hit) => hit.idSubscriber)}::int[], ${int8Array(hits.map((hit) => hit.idLink))}::bigint[],
      ${booleans((hit) => hit.isViral)}::boolean[], ${texts((hit) => hit.userAgent)}::text[],
      ${texts((hit) => hit.address)}::text[])
      as h (${columns}))`;
}
