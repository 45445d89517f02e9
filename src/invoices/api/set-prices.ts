import { siteAdministration } from '../../accounts/site-administration.ts';
import { Bool } from '../../platform/http/schema.ts';
import { parisDayOf } from '../../platform/paris-time.ts';
import { checkPrices, Prices } from '../price.ts';
import { setPricesOf } from '../price-store.ts';

export const setPrices = siteAdministration({
  id: 'setPrices',
  method: 'PUT',
  path: '/prices',
  summary: "Set a site's prices",
  description:
    'For each month that is not closed yet. Each message costs what the step says that it falls into: with the ' +
    'steps of the example the first 10,000 of a month cost 10 EUR, and a thousand more cost 0.50 EUR. The month in ' +
    'which a site first has prices is the first that is invoiced.',
  body: Prices,
  example: {
    currency: 'EUR',
    paymentDays: 30,
    steps: [
      { from: 0, perThousand: 1 },
      { from: 10_000, perThousand: 0.5 },
    ],
  },
  reply: Bool(),
  handle: async ({ db, idSite, body, now }) => {
    checkPrices(body);
    await setPricesOf(db, idSite, body, parisDayOf(now).with({ day: 1 }).toString());
    return true;
  },
});
