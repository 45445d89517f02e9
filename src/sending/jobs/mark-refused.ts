import { listSites } from '../../accounts/site-store.ts';
import { hasUnappliedRefusals, takeUnappliedRefusals } from '../../activity/bounce-store.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { task } from '../../platform/jobs.ts';
import { lockSubscribers } from '../../subscribers/subscriber-store.ts';
import { deliveryState, worsenDeliveries } from '../../subscribers/subscription.ts';

/** Subscribers marked in one transaction. */
const atOnce = 1_000;

/**
 * Marks whose mailbox a relay refused for good (fields 44 and 45), on one site or on all of them. Each refusal is
 * applied once, in one transaction with the note that it was.
 */
export const markRefused = task<{ idSite?: number }>({
  name: 'markRefused',
  cron: '* * * * *',
  async run(app, { idSite }, signal) {
    const sites = idSite === undefined ? await listSites(app.control) : [{ id: idSite }];
    for (const { id } of sites) {
      const db = await app.siteById(id);
      if (!db || signal.aborted) continue;
      // One site that cannot be written to must not keep the others from it.
      await markSite(db, signal).catch((error) => {
        if (idSite !== undefined) throw error;
        app.log.error({ err: error, idSite: id }, 'refused mailboxes are not marked');
      });
    }
  },
});

async function markSite(db: SiteDb, signal: AbortSignal): Promise<void> {
  if (!(await hasUnappliedRefusals(db))) return;
  while (!signal.aborted && (await markSome(db)) === atOnce);
}

/** @returns how many refusals were applied. */
async function markSome(db: SiteDb): Promise<number> {
  return db.transaction(async (tx) => {
    const refusals = await takeUnappliedRefusals(tx, atOnce);
    // The first refusal of several: its date stays, as with reports.
    const first = new Map<number, (typeof refusals)[number]>();
    for (const one of refusals) {
      const known = first.get(one.idSubscriber);
      if (!known || one.at < known.at) first.set(one.idSubscriber, one);
    }
    await lockSubscribers(tx, [...first.keys()]);
    await worsenDeliveries(tx, [...first.values()], deliveryState.hardBounced);
    return refusals.length;
  });
}
