import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

test("this Node's V8 has the flag by which the heap is kept small", () => {
  const options = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  expect(options).toMatch(/^ *--heap-growing-percent\b/m);
});
