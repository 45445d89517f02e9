import type { Connection } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import type { Prices } from './price.ts';

/** Prices that hold for a site, and the first month that is invoiced (`yyyy-MM-01`). */
export interface SitePrices extends Prices {
  readonly firstMonth: string;
}

export async function pricesOf(control: Connection, idSite: number): Promise<SitePrices | undefined> {
  return control.first<SitePrices>(sql`
    select currency, payment_days as "paymentDays", steps, to_char(first_month, 'YYYY-MM-DD') as "firstMonth"
    from facteur.price where id_site = ${idSite}`);
}

/** Sets a site's prices for open months. @param firstMonth ignored if the site already has prices */
export async function setPricesOf(
  control: Connection,
  idSite: number,
  { currency, paymentDays, steps }: Prices,
  firstMonth: string,
): Promise<void> {
  await control.run(sql`
    insert into facteur.price (id_site, currency, payment_days, steps, first_month)
    values (${idSite}, ${currency}, ${paymentDays}, ${JSON.stringify(steps)}::jsonb, ${firstMonth}::date)
    on conflict (id_site) do update
    set currency = excluded.currency, payment_days = excluded.payment_days, steps = excluded.steps`);
}
