import { SiteName } from '../../accounts/site.ts';
import { siteNamed } from '../../accounts/site-store.ts';
import { adminOperation } from '../../platform/http/operation.ts';
import { Nullable, Params } from '../../platform/http/schema.ts';
import { Prices } from '../price.ts';
import { pricesOf } from '../price-store.ts';

export const getPrices = adminOperation({
  id: 'getPrices',
  method: 'GET',
  path: '/sites/{idsite}/prices',
  right: 'admin',
  tag: 'Administration',
  summary: "Get a site's prices",
  description: 'null for a site without prices, which gets no invoices.',
  params: Params({ idsite: SiteName() }),
  reply: Nullable(Prices),
  handle: async ({ db, params }) => {
    const found = await pricesOf(db, (await siteNamed(db, params.idsite)).id);
    if (!found) return null;
    const { currency, paymentDays, steps } = found;
    return { currency, paymentDays, steps };
  },
});
