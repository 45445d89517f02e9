import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';

/**
 * Unsubscribes one person from the newsletter: status 1, unsubscription date `at`. Somebody who is unsubscribed
 * already keeps the date of the first time, so that a repeated one-click POST changes nothing.
 * @returns whether the status changed.
 */
export async function unsubscribe(db: SiteDb, idSubscriber: number, at: Date): Promise<boolean> {
  const changed = await db.run(sql`
    update ${db.t.subscriber} set fld7 = 1, fld4 = ${at} where fld0 = ${idSubscriber} and fld7 = 0`);
  return changed > 0;
}

/** Field 44. */
export const deliveryState = { fine: 0, softBouncing: 1, hardBounced: 2, complained: 3 } as const;
export type DeliveryState = (typeof deliveryState)[keyof typeof deliveryState];

/**
 * Records what a bounce or a complaint says about an address (fields 44 and 45). The state only gets worse here: a
 * late soft bounce does not make a dead address alive; writing field 44 by the API does.
 * @returns whether the state changed.
 */
export async function worsenDelivery(
  db: SiteDb,
  idSubscriber: number,
  state: DeliveryState,
  at: Date,
): Promise<boolean> {
  const changed = await db.run(sql`
    update ${db.t.subscriber} set fld44 = ${state}, fld45 = ${at} where fld0 = ${idSubscriber} and fld44 < ${state}`);
  return changed > 0;
}
