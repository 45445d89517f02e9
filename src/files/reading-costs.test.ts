import { expect, test } from 'vitest';
import { measured } from '../testing/programs.ts';

// A process of its own, so that its processor time is that of the readers; a ratio, so that the machine does not count.
test('the time to read a hostile file grows with its size, not with the square', {
  timeout: 180_000,
}, async () => {
  const growths = await measured<[string, string, number][]>('reading-costs.ts');
  expect(growths.length).toBeGreaterThan(250);
  expect(growths.filter(([, , times]) => times >= 10)).toEqual([]);
});
