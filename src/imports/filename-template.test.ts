import { expect, it } from 'vitest';
import { filenameAt, templateFault } from './filename-template.ts';

it.each([
  ['people_{yyyy}{MM}{dd}.csv', '2026-11-20T23:30:00Z', 'people_20261121.csv'],
  ['{yyyy}/{MM}/{dd}-{HH}h{mm}.csv', '2026-07-04T22:05:00Z', '2026/07/05-00h05.csv'],
  // In spring 02:30 is 03:00; in autumn both hours have one name, and only the first runs.
  ['{HH}{mm}', '2026-03-29T01:00:00Z', '0300'],
  ['{HH}{mm}', '2026-10-25T00:30:00Z', '0230'],
  ['{dd}{dd}', '2026-11-20T10:00:00Z', '2020'],
  ['plain.csv', '2026-11-20T10:00:00Z', 'plain.csv'],
])('%s of a run planned for %s is %s', (template, planned, name) => {
  expect(templateFault(template)).toBeUndefined();
  expect(filenameAt(template, new Date(planned))).toBe(name);
});

it.each([
  ['{YYYY}.csv', '{YYYY} is none of {yyyy} {MM} {dd} {HH} {mm}'],
  ['{}.csv', '{} is none of'],
  ['{constructor}.csv', '{constructor} is none of'],
  ['{yyyy.csv', 'a brace is not closed or not opened'],
  ['yyyy}.csv', 'a brace is not closed or not opened'],
  ['{{yyyy}}.csv', 'a brace is not closed or not opened'],
])('%s: %s', (template, fault) => {
  expect(templateFault(template)).toContain(fault);
});
