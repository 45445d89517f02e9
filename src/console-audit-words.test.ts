import { expect, it } from 'vitest';
import { audit as english } from '../web/src/words/en/audit.ts';
import { audit as french } from '../web/src/words/fr/audit.ts';
import { operations } from './api.ts';

/** The operations that leave entries in the audit log. */
const audited = operations
  .filter(({ scope, method, unaudited }) => scope !== 'caller' && method !== 'GET' && !unaudited)
  .map(({ id }) => id);

it.each([
  ['English', english],
  ['French', french],
])('the console has words in %s for every operation of the audit log', (_, { areas }) => {
  const acts = Object.values(areas).map(({ acts: ofArea }): Readonly<Record<string, string>> => ofArea);
  const words: Readonly<Record<string, string>> = Object.assign({}, ...acts);
  expect(audited.filter((id) => !words[id])).toEqual([]);
  expect(new Set(Object.values(words)).size).toBe(Object.keys(words).length);
});
