import type { SiteDb } from '../platform/db/site-db.ts';
import { join, sql } from '../platform/db/sql.ts';

/** All sums of a site's activity as text, subscriber by subscriber, and what bounces know of receipts. */
export async function dumpSums(db: SiteDb): Promise<unknown[]> {
  const { t } = db;
  const planes = sql`unnest(planes) with ordinality p (bits, plane), generate_series(0, 32767) bit`;
  const counted = sql`chunk * 32768 + bit as id, sum(1 << (plane::int - 1)) as n`;
  const parts = [
    sql`select 'day ' || act || ' ' || days || ' ' || day as key, ${counted} from ${t.act_by_day}, ${planes}
      where get_bit(bits, bit) = 1 group by act, days, day, chunk, bit`,
    sql`select 'sent ' || act || ' ' || id_sent, ${counted} from ${t.act_by_sent}, ${planes}
      where get_bit(bits, bit) = 1 group by act, id_sent, chunk, bit`,
    sql`select 'received ' || id_sent || ' ' || day, chunk * 32768 + bit, 1
      from ${t.received_by_day}, generate_series(0, 32767) bit where get_bit(received, bit) = 1`,
  ];
  const sums = await db.rows(sql`select * from (${join(parts, ' union all ')}) all_sums order by key, id`);
  const counters = await db.rows(sql`select * from ${t.sent_counter} order by id_sent`);
  const devices = await db.rows(sql`select * from ${t.device_counter} order by id_sent, is_mobile`);
  const bounces = await db.rows(sql`select id, is_accepted from ${t.bounce} order by id`);
  return [...sums, ...counters, ...devices, ...bounces];
}
