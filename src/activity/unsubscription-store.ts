import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';

/** How a subscriber unsubscribed from a sending: on the page, by RFC 8058, by an API call, by a complaint. */
export type UnsubscriptionOrigin = 'page' | 'oneClick' | 'api' | 'complaint';

export interface Unsubscription {
  readonly idSent: number;
  readonly idSubscriber: number;
  readonly at: Date;
  readonly origin: UnsubscriptionOrigin;
}

/**
 * Counts an unsubscription for a sending, once per subscriber and sending; the first one stays. The subscriber's status
 * is changed separately (subscribers/subscription.ts), in the same transaction.
 * @returns whether it counted.
 */
export async function recordUnsubscription(db: SiteDb, one: Unsubscription): Promise<boolean> {
  return (await recordUnsubscriptions(db, [one], one.at, one.origin)) > 0;
}

/** When a subscriber unsubscribed on the page of a sending, after an instant; undefined if they did not. */
export async function pageUnsubscription(
  tx: SiteDb,
  { idSent, idSubscriber, since }: Pair & { readonly since: Date },
): Promise<Date | undefined> {
  const [at] = await tx.values<Date>(sql`
    select at from ${tx.t.unsubscription}
    where id_sent = ${idSent} and id_subscriber = ${idSubscriber} and origin = 'page' and at > ${since}`);
  return at;
}

/** Removes an unsubscription that was undone. */
export async function forgetUnsubscription(tx: SiteDb, { idSent, idSubscriber }: Pair): Promise<void> {
  await tx.run(sql`
    delete from ${tx.t.unsubscription} where id_sent = ${idSent} and id_subscriber = ${idSubscriber}`);
}

type Pair = Pick<Unsubscription, 'idSent' | 'idSubscriber'>;

/** Counts several unsubscriptions as `recordUnsubscription` does; returns the number that counted. */
export async function recordUnsubscriptions(
  db: SiteDb,
  pairs: readonly Pair[],
  at: Date,
  origin: UnsubscriptionOrigin,
): Promise<number> {
  if (pairs.length === 0) return 0;
  return db.run(sql`
    insert into ${db.t.unsubscription} (id_sent, id_subscriber, at, origin)
    select id_sent, id_subscriber, ${at}, ${origin}
    from unnest(${pairs.map((one) => one.idSent)}::int[], ${pairs.map((one) => one.idSubscriber)}::int[])
      as given (id_sent, id_subscriber)
    order by id_sent, id_subscriber
    on conflict do nothing`);
}
