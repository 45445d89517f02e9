import { expect, it } from 'vitest';
import { asAttachment } from './send-file.ts';

it.each([
  ['people.csv', `attachment; filename="people.csv"; filename*=UTF-8''people.csv`],
  ['été 1.csv', `attachment; filename="ete 1.csv"; filename*=UTF-8''%C3%A9t%C3%A9%201.csv`],
  ['a";\\b%41.csv', `attachment; filename="a_;_b_41.csv"; filename*=UTF-8''a%22%3B%5Cb%2541.csv`],
  ["x'(1)*.csv", `attachment; filename="x'(1)*.csv"; filename*=UTF-8''x%27%281%29%2A.csv`],
  [
    'a\r\nSet-Cookie: b',
    `attachment; filename="a__Set-Cookie: b"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20b`,
  ],
  ['😀.csv', `attachment; filename="_.csv"; filename*=UTF-8''%F0%9F%98%80.csv`],
])('names the download %j', (name, header) => {
  expect(asAttachment(name)).toBe(header);
});
