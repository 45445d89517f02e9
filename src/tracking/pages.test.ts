import { expect, it } from 'vitest';
import { languageOf, type PageName, pageHtml, pagePolicy } from './pages.ts';

it.each([
  [undefined, 'en'],
  ['', 'en'],
  ['fr', 'fr'],
  ['fr-CA', 'fr'],
  ['FR-fr,fr;q=0.9,en;q=0.8', 'fr'],
  ['en-GB,en;q=0.9,fr;q=0.8', 'en'],
  ['de,fr;q=0.5,en;q=0.4', 'fr'],
  ['de', 'en'],
  ['*', 'en'],
  ['fr;q=0', 'en'],
  ['en;q=0.1, fr;q=0.2', 'fr'],
  [';;;,,,;q=x', 'en'],
  ['fr,'.repeat(10_000), 'fr'],
] as const)('%j is read in %s', (header, expected) => {
  expect(languageOf(header)).toBe(expected);
});

it.each([
  ...(['ask', 'done', 'notUnderstood', 'gone', 'later'] as const),
  ...(['askStop', 'stopped', 'forwarded', 'tooManyForwards', 'notForwardable'] as const),
])('the page «%s» is whole in both languages', (name: PageName) => {
  for (const language of ['en', 'fr'] as const) {
    const html = pageHtml(name, language).toString();
    expect(html).toContain(`<html lang="${language}">`);
    expect(html).toMatch(/<title>[^<]+<\/title>/);
    expect(html).toContain('name="viewport"');
    // Nothing comes from elsewhere, nothing runs.
    expect(html).not.toMatch(/<script|<link|<img|https?:|\son\w+=/);
    expect(html.includes('<form method="post">')).toBe(/^ask/.test(name));
  }
  expect(pagePolicy).not.toContain('unsafe');
});
