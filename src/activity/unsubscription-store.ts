import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';

/** How somebody unsubscribed from a sent: on the page, by RFC 8058, by an API call, by a complaint. */
export type UnsubscriptionOrigin = 'page' | 'oneClick' | 'api' | 'complaint';

export interface Unsubscription {
  readonly idSent: number;
  readonly idSubscriber: number;
  readonly at: Date;
  readonly origin: UnsubscriptionOrigin;
}

/**
 * Counts an unsubscription for a sent, once per subscriber and sent; the first one stays. The subscriber's status is
 * changed apart (subscribers/subscription.ts), in the same transaction.
 * @returns whether it counted.
 */
export async function recordUnsubscription(db: SiteDb, one: Unsubscription): Promise<boolean> {
  const recorded = await db.run(sql`
    insert into ${db.t.unsubscription} (id_sent, id_subscriber, at, origin)
    values (${one.idSent}, ${one.idSubscriber}, ${one.at}, ${one.origin})
    on conflict do nothing`);
  return recorded > 0;
}
