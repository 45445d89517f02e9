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

/** When somebody unsubscribed on the page of a sent, after an instant; undefined without that. */
export async function pageUnsubscription(
  tx: SiteDb,
  { idSent, idSubscriber, since }: Pair & { readonly since: Date },
): Promise<Date | undefined> {
  const row = await tx.first<{ at: Date }>(sql`
    select at from ${tx.t.unsubscription}
    where id_sent = ${idSent} and id_subscriber = ${idSubscriber} and origin = 'page' and at > ${since}`);
  return row?.at;
}

/** Counts an unsubscription no more: it was undone. */
export async function forgetUnsubscription(tx: SiteDb, { idSent, idSubscriber }: Pair): Promise<void> {
  await tx.run(sql`
    delete from ${tx.t.unsubscription} where id_sent = ${idSent} and id_subscriber = ${idSubscriber}`);
}

type Pair = Pick<Unsubscription, 'idSent' | 'idSubscriber'>;

/** Counts several unsubscriptions at once, as `recordUnsubscription` does; how many counted. */
export async function recordUnsubscriptions(
  db: SiteDb,
  pairs: readonly Pick<Unsubscription, 'idSent' | 'idSubscriber'>[],
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
