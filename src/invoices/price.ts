import { invalid } from '../platform/http/refusal.ts';
import { Closed, Count, type Static, Type } from '../platform/http/schema.ts';

/** Ten-thousandths of the currency: what a price per thousand is kept in while amounts are worked out. */
const precision = 10_000;
const maxPerThousand = 1_000_000;

const Step = Closed('PriceStep', {
  from: Count('The first message of the month at this price, counted from 0'),
  perThousand: Type.Number({
    minimum: 0,
    maximum: maxPerThousand,
    description: 'Price of a thousand messages, with at most four decimals',
  }),
});
export type PriceStep = Static<typeof Step>;

export const Prices = Closed('Prices', {
  currency: Type.String({
    title: 'String',
    pattern: '^[A-Z]{3}$',
    description: 'ISO 4217',
    examples: ['EUR'],
  }),
  paymentDays: Type.Integer({
    title: 'Int32',
    minimum: 0,
    maximum: 365,
    description: 'Days from the issue of an invoice to its due date',
  }),
  steps: Type.Array(Step, { minItems: 1, maxItems: 50 }),
});
export type Prices = Static<typeof Prices>;

/** @throws 400 for steps that do not begin with 0, do not rise, or have prices with more than four decimals. */
export function checkPrices({ steps }: Prices): void {
  for (const [position, { from, perThousand }] of steps.entries()) {
    const at = `steps/${position}`;
    const before = steps[position - 1]?.from;
    if (before === undefined && from !== 0)
      throw invalid(`${at}.from: must be 0: the first step is of the first message`);
    if (before !== undefined && from <= before)
      throw invalid(`${at}.from: must be more than ${before}, where the step before it begins`);
    if (Math.abs(perThousand * precision - Math.round(perThousand * precision)) > 1e-6)
      throw invalid(`${at}.perThousand: must have at most four decimals`);
  }
}

/** The price of a month's messages, in hundredths of the currency; each message costs the price of its step. */
export function amountOf(steps: readonly PriceStep[], nbMessages: number): bigint {
  let sum = 0n;
  for (const [position, { from, perThousand }] of steps.entries()) {
    const end = Math.min(nbMessages, steps[position + 1]?.from ?? nbMessages);
    if (end > from) sum += BigInt(end - from) * BigInt(Math.round(perThousand * precision));
  }
  const perHundredth = BigInt(1000 * (precision / 100));
  return (sum + perHundredth / 2n) / perHundredth;
}
