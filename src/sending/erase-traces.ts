import { wordsOfErased } from '../activity/bounce-store.ts';
import { clearFacts } from '../activity/erasure-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { addTask, task } from '../platform/tasks.ts';
import { clearErasedAddresses } from '../subscribers/erasure-store.ts';
import { singleStates } from './single-message.ts';

/** Days until the second run. Open messages have ended by then, and transactions that had begun before the erasure. */
const lastReportDays = 10;

/**
 * Clears what shows an erased person in facts, messages and changes of others. It runs twice: at once, and days later.
 * A run that was killed starts again and finds less.
 */
export const eraseTraces = task<{ readonly idSite: number; readonly idSubscriber: number }>({
  name: 'eraseTraces',
  async run(app, { idSite, idSubscriber }, signal) {
    const db = await app.siteById(idSite);
    if (!db) return;
    await clearErasedAddresses(db);
    await clearMessages(db, idSubscriber);
    await clearFacts(db, idSubscriber, signal);
    // The next attempt continues.
    signal.throwIfAborted();
  },
});

/** Adds both runs for the people that the transaction erases. */
export async function addEraseTraces(tx: SiteDb, ids: readonly number[], at: Date): Promise<void> {
  const later = new Date(at.getTime() + lastReportDays * 86_400_000);
  for (const idSubscriber of ids)
    for (const runAt of [at, later])
      await addTask(tx, eraseTraces, { idSite: tx.site.id, idSubscriber }, { runAt });
}

/** Clears replies of relays except their codes, a forwarder's name, and what single messages were filled with. */
async function clearMessages(db: SiteDb, idSubscriber: number): Promise<void> {
  const words = wordsOfErased(sql`reply`);
  await db.run(sql`
    update ${db.t.delivery_failure} set reply = ${words}
    where id_sent = any(array(select id from ${db.t.sent})) and id_subscriber = ${idSubscriber}
      and reply <> ${words}`);
  await db.run(sql`
    update ${db.t.forward} set name = '' where id_subscriber = ${idSubscriber} and name <> ''`);
  // Open messages are cancelled by the engine, which reads these parts; the second run deletes them.
  await db.run(sql`
    delete from ${db.t.single_send} s using ${db.t.single_message} m
    where m.id = s.id_message and m.id_subscriber = ${idSubscriber} and m.state < ${singleStates.pending}`);
}
