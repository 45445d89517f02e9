import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

// A process of its own, so that its processor time is that of the scanners: what else the machine does is not in it.
test('no scanner takes 50 ms of processor time for a hostile megabyte', { timeout: 120_000 }, async () => {
  const args = ['--import', 'tsx', 'src/testing/scan-costs.ts'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e7 });
  const costs = JSON.parse(stdout) as [string, string, number][];
  expect(costs.length).toBeGreaterThan(400);
  expect(costs.filter(([, , milliseconds]) => milliseconds >= 50)).toEqual([]);
});
