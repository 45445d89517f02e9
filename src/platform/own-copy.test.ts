import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { ownCopy } from './own-copy.ts';

it('releases the text that a part was cut from, and does not change the part', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const kept: string[] = [];
  collect();
  const before = process.memoryUsage().heapUsed;
  // 100 MB of lines in total, of which 10,000 parts are kept.
  for (let i = 0; i < 10_000; i++) {
    const line = Buffer.alloc(10_000, `/r/${i} `).toString('latin1');
    kept.push(ownCopy(line.slice(3, 43)));
  }
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000);
  expect(kept.every((text, i) => text.startsWith(`${i} /r/`))).toBe(true);
  expect(ownCopy('é\u2028\ud800')).toBe('é\u2028\ud800');
});
