import { beforeAll, describe, expect, test } from 'vitest';
import { measured } from './testing/programs.ts';

interface Measured {
  costs: [scanner: string, text: string, ms: number, quarterMs: number | null, mostMs: number][];
  mostGrowth: number;
}

describe('scanners of texts that strangers write', () => {
  let costs: Measured['costs'];
  let mostGrowth: number;
  // A process of its own, so that its processor time is that of the scanners: other work of the machine is not in it.
  beforeAll(async () => {
    ({ costs, mostGrowth } = await measured<Measured>('scan-costs.ts'));
  }, 420_000);

  test('take under 50 ms of processor time a megabyte; HTML 150 a quarter; SQL filters 250 for 8,000', () => {
    expect(costs.length).toBeGreaterThan(3_000);
    expect(costs.filter(([, , ms, , mostMs]) => ms >= mostMs)).toEqual([]);
  });

  test('take time in proportion to the text', () => {
    expect(costs.filter(([, , ms, quarterMs]) => quarterMs !== null && ms > mostGrowth * quarterMs)).toEqual(
      [],
    );
  });
});
