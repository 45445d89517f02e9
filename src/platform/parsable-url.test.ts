import { expect, test } from 'vitest';
import { isParsableUrl } from './parsable-url.ts';

test.each([
  ['https://exämple.com/café?q=été', true],
  ['https://пример.рф/', true],
  ['https://shop.example/', true],
  ['https://é%/', false],
  ['https://', false],
  ['café', false],
])('%s: %s, even when it is requested the hundred-thousandth time', (text, expected) => {
  let right = 0;
  for (let n = 0; n < 100_000; n++) if (isParsableUrl(text) === expected) right++;
  expect(right).toBe(100_000);
});
