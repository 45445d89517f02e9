import { bounceClasses } from '../activity/bounce.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';

export interface ComplainedMessage {
  readonly senderDomain: string;
  /** 0 for a domain that belongs to no provider. */
  readonly idProvider: number;
  /** When a relay accepted the message; the start of its job while that is not recorded yet. */
  readonly sentAt: Date;
}

/** The distinct messages with a complaint since an instant, without test mailings. */
export async function complainedSince(db: SiteDb, since: Date): Promise<ComplainedMessage[]> {
  const { t } = db;
  return db.rows<ComplainedMessage>(sql`
    with complained as materialized (
      select distinct id_sent, id_subscriber from ${t.bounce}
      where class = ${bounceClasses.complaint} and at > ${since})
    select j.sender_domain as "senderDomain", coalesce(receipt.id_provider, d.id_provider, 0) as "idProvider",
      coalesce(receipt.at, s.started_at, j.created_at) as "sentAt"
    from complained c join ${t.sent} s on s.id = c.id_sent join ${t.job} j on j.id = s.id_job
      left join ${t.subscriber} reader on reader.fld0 = c.id_subscriber
      left join facteur.provider_domain d on d.domain = reader.fld37
      left join lateral (
        select one.id_provider, r.first_at + one.delay * interval '1 millisecond' as at
        from ${t.receipt_range} r, unnest(r.subscribers, r.id_providers, r.delays) one (id, id_provider, delay)
        where r.id_sent = c.id_sent and r.first_subscriber <= c.id_subscriber and r.last_subscriber >= c.id_subscriber
          and one.id = c.id_subscriber
        limit 1) receipt on true
    where not j.is_test and j.sender_domain is not null`);
}
