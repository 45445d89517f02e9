import { expect, it } from 'vitest';
import { simulate } from './testing/simulation/run.ts';

it('every figure of the statistics is what was done, over the public interfaces', {
  timeout: 300_000,
}, async () => {
  const { differences, figures, messages } = await simulate(2_000, () => undefined);
  expect(differences).toEqual([]);
  expect(figures).toBeGreaterThan(1_500);
  expect(messages).toBeGreaterThan(2_000);
});
