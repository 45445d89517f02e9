import { siteAdministration } from '../../accounts/site-administration.ts';
import { Nullable } from '../../platform/http/schema.ts';
import { Prices } from '../price.ts';
import { pricesOf } from '../price-store.ts';

export const getPrices = siteAdministration({
  id: 'getPrices',
  method: 'GET',
  path: '/prices',
  summary: "Get a site's prices",
  description: 'null for a site without prices, which gets no invoices.',
  reply: Nullable(Prices),
  handle: async ({ db, idSite }) => {
    const found = await pricesOf(db, idSite);
    if (!found) return null;
    const { currency, paymentDays, steps } = found;
    return { currency, paymentDays, steps };
  },
});
