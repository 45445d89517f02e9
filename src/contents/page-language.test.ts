import { expect, it } from 'vitest';
import { languageOf } from './page-language.ts';

it.each([
  [undefined, 'en'],
  ['', 'en'],
  ['fr', 'fr'],
  ['fr-CA', 'fr'],
  ['FR-fr,fr;q=0.9,en;q=0.8', 'fr'],
  ['en-GB,en;q=0.9,fr;q=0.8', 'en'],
  ['de-AT,fr;q=0.5,en;q=0.4', 'de'],
  ['nl,es;q=0.5,en;q=0.4', 'es'],
  ['it', 'it'],
  ['nl', 'en'],
  ['*', 'en'],
  ['fr;q=0', 'en'],
  ['en;q=0.1, fr;q=0.2', 'fr'],
  [';;;,,,;q=x', 'en'],
  ['fr,'.repeat(10_000), 'fr'],
] as const)('%j is read in %s', (header, expected) => {
  expect(languageOf(header)).toBe(expected);
});
