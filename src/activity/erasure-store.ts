import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { wordsOfErased } from './bounce-store.ts';
import { batchIsFull, foldActivity, lockSums } from './fold-store.ts';

/** Sendings whose facts are cleared in one transaction. */
const sentsAtOnce = 500;

/**
 * Clears what shows an erased person in facts: the network addresses of hits, and the words of bounces except their
 * codes. The facts stay, because figures are counted from them. Each sending is looked up by its own index, so the time
 * depends on the number of sendings. A repetition changes nothing.
 */
export async function clearFacts(db: SiteDb, idSubscriber: number, signal: AbortSignal): Promise<void> {
  // Only aggregated hits can be changed.
  while (!signal.aborted && batchIsFull(await foldActivity(db)));
  for (let last = 0; !signal.aborted; ) {
    const ids = await db.values<number>(sql`
      select id from ${db.t.known_sent} where id > ${last}::int order by id limit ${sentsAtOnce}`);
    if (ids.length === 0) return;
    last = ids.at(-1)!;
    await db.transaction(async (tx) => {
      // Only the holder of the lock moves rows of hits.
      await lockSums(tx);
      const isTheirs = sql`id_sent = any(${ids}::int[]) and id_subscriber = ${idSubscriber}`;
      await tx.run(
        sql`update ${tx.t.hit_folded} set address = null where ${isTheirs} and address is not null`,
      );
      const words = wordsOfErased(sql`diagnostic`);
      await tx.run(
        sql`update ${tx.t.bounce} set diagnostic = ${words} where ${isTheirs} and diagnostic <> ${words}`,
      );
    });
  }
}
