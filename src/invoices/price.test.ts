import { describe, expect, it } from 'vitest';
import { amountOf, checkPrices } from './price.ts';

const steps = [
  { from: 0, perThousand: 1 },
  { from: 10_000, perThousand: 0.5 },
  { from: 100_000, perThousand: 0.1234 },
];

describe('the amount of a month', () => {
  it.each([
    [0, 0n],
    [1, 0n],
    [5, 1n],
    [1_000, 100n],
    [10_000, 1_000n],
    [10_001, 1_000n],
    [10_010, 1_001n],
    [100_000, 5_500n],
    [1_100_000, 17_840n],
    [9_007_199_254_740_991, 111_148_838_807_770n],
  ])('of %i messages is %i hundredths', (nb, amount) => {
    expect(amountOf(steps, nb)).toBe(amount);
  });
});

describe('prices', () => {
  const prices = (...given: { from: number; perThousand: number }[]) => ({
    currency: 'EUR',
    paymentDays: 30,
    steps: given,
  });
  it.each([
    [prices({ from: 1, perThousand: 1 }), 'steps/0.from: must be 0: the first step is of the first message'],
    [
      prices({ from: 0, perThousand: 1 }, { from: 0, perThousand: 2 }),
      'steps/1.from: must be more than 0, where the step before it begins',
    ],
    [prices({ from: 0, perThousand: 0.12345 }), 'steps/0.perThousand: must have at most four decimals'],
  ])('%j are refused', (given, error) => {
    expect(() => checkPrices(given)).toThrow(error);
  });

  it('with steps that rise are taken', () => {
    checkPrices(prices(...steps));
  });
});
