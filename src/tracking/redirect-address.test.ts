import fc from 'fast-check';
import { expect, it } from 'vitest';
import { redirectAddress } from './redirect-address.ts';

it.each([
  ['https://shop.example/a?b=1&c=%C3%A9#d', 'https://shop.example/a?b=1&c=%C3%A9#d'],
  ['HTTP://Shop.example', 'HTTP://Shop.example'],
  ['https://shop.example/a;b(c)!$,*|{}^`', 'https://shop.example/a;b(c)!$,*|{}^`'],
  ['https://exämple.com/café?q=été', 'https://xn--exmple-cua.com/caf%C3%A9?q=%C3%A9t%C3%A9'],
  ['https://shop.example/two words', 'https://shop.example/two%20words'],
  ['javascript:alert(1)', undefined],
  ['data:text/html,x', undefined],
  ['//evil.example/', undefined],
  ['/relative', undefined],
  ['ftp://x.example/', undefined],
  ['mailto:a@example.com', undefined],
  ['https://', undefined],
  ['https:///', undefined],
  ['https://a.example/\r\nset-cookie: x=1', undefined],
  ['', undefined],
])('%j leads to %j', (url, expected) => {
  expect(redirectAddress(url)).toBe(expected);
});

it('never gives a header more than one line of ASCII', () => {
  const urls = fc
    .tuple(fc.constantFrom('http://', 'https://', ''), fc.string({ unit: 'binary' }))
    .map((two) => two.join(''));
  fc.assert(
    fc.property(urls, (url) => {
      const location = redirectAddress(url);
      return location === undefined || /^https?:\/\/[\x21-\x7e]+$/i.test(location);
    }),
  );
});
