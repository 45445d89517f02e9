import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

// A process of its own, so that its processor time is that of the readers; a ratio, so that the machine does not count.
test('the time to read a hostile file grows with its size, not with the square', {
  timeout: 180_000,
}, async () => {
  const args = ['--import', 'tsx', 'src/testing/reading-costs.ts'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e7 });
  const growths = JSON.parse(stdout) as [string, string, number][];
  expect(growths.length).toBeGreaterThan(250);
  expect(growths.filter(([, , times]) => times >= 10)).toEqual([]);
});
