import { Temporal } from 'temporal-polyfill';
import { forEachSite } from '../../accounts/for-each-site.ts';
import type { App } from '../../platform/app.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { parisDayOf, startOfParisDay } from '../../platform/paris-time.ts';
import { task } from '../../platform/tasks.ts';
import { closedMonths, countAccepted, insertInvoice } from '../invoice-store.ts';
import { amountOf } from '../price.ts';
import { pricesOf, type SitePrices } from '../price-store.ts';

/** Accepted messages of a month are recorded by then, even those of a killed worker. */
const settlingMs = 2 * 86_400_000;

/** Creates the invoices of past months, one for each site with prices; each hour, and each month once. */
export const closeMonths = task({
  name: 'closeMonths',
  cron: '51 * * * *',
  async run(app, _, signal) {
    const close = async (db: SiteDb) => {
      const prices = await pricesOf(app.control, db.site.id);
      if (prices) await closeFor(app, db, prices);
    };
    await forEachSite(app, 'month not closed', close, signal);
  },
});

async function closeFor(app: App, db: SiteDb, { steps, currency, paymentDays, firstMonth }: SitePrices) {
  const now = app.clock.now();
  const closed = await closedMonths(app.control, db.site.id);
  const over = parisDayOf(new Date(now.getTime() - settlingMs)).with({ day: 1 });
  for (
    let month = Temporal.PlainDate.from(firstMonth);
    Temporal.PlainDate.compare(month, over) < 0;
    month = month.add({ months: 1 })
  ) {
    if (closed.has(month.toString())) continue;
    const next = month.add({ months: 1 });
    const nbMessages = await countAccepted(db, startOfParisDay(month), startOfParisDay(next));
    const dueAt = new Date(now.getTime() + paymentDays * 86_400_000);
    const invoice = {
      idSite: db.site.id,
      month: month.toString(),
      nbMessages,
      amount: amountOf(steps, nbMessages),
      currency,
      issuedAt: now,
      dueAt,
    };
    if (await insertInvoice(app.control, invoice))
      app.log.info({ site: db.site.name, month: invoice.month, nbMessages }, 'a month is closed');
  }
}
