import { forEachSite } from '../accounts/for-each-site.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { task } from '../platform/tasks.ts';
import { countGrowthAs } from '../subscribers/growth-store.ts';
import { lockSubscribers } from '../subscribers/subscriber-store.ts';
import { deliveryState, worsenDeliveries } from '../subscribers/subscription.ts';
import { hasUnappliedRefusals, takeUnappliedRefusals } from './bounce-store.ts';
import { deliveryAfter } from './delivery-after.ts';

/** Subscribers marked in one transaction. */
const atOnce = 1_000;

/**
 * Marks subscribers whose mailbox a relay rejected at RCPT (fields 44 and 45), on one site or on all of them: as
 * nonexistent, or as full for now. Each rejection is applied once, in one transaction with the note that it was.
 */
export const markRefused = task<{ idSite?: number }>({
  name: 'markRefused',
  cron: '* * * * *',
  async run(app, { idSite }, signal) {
    if (idSite === undefined)
      return forEachSite(app, 'refused mailboxes not marked', (db) => markSite(db, signal), signal);
    const db = await app.siteById(idSite);
    if (db) await markSite(db, signal);
  },
});

async function markSite(db: SiteDb, signal: AbortSignal): Promise<void> {
  if (!(await hasUnappliedRefusals(db))) return;
  while (!signal.aborted && (await markSome(db)) === atOnce);
}

/** @returns the number of refusals that were applied */
async function markSome(db: SiteDb): Promise<number> {
  return db.transaction(async (tx) => {
    const refusals = await takeUnappliedRefusals(tx, atOnce);
    await lockSubscribers(tx, [...new Set(refusals.map(({ idSubscriber }) => idSubscriber))]);
    for (const state of [deliveryState.softBouncing, deliveryState.hardBounced]) {
      const found = new Map<number, (typeof refusals)[number]>();
      for (const one of refusals) {
        const known = found.get(one.idSubscriber);
        // As with reports, the first hard bounce keeps its date, and a later soft one renews it.
        const isDated =
          !known || (state === deliveryState.softBouncing ? one.at > known.at : one.at < known.at);
        if (deliveryAfter[one.class] === state && isDated) found.set(one.idSubscriber, one);
      }
      const all = [...found.values()];
      for (const idSent of new Set(all.map((one) => one.idSent))) {
        await countGrowthAs(tx, 'bounce', idSent);
        const ofSent = all.filter((one) => one.idSent === idSent);
        await worsenDeliveries(tx, ofSent, state);
      }
    }
    return refusals.length;
  });
}
