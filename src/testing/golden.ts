import { expect } from 'vitest';
import { type Language, languages } from '../fields/period.ts';

/** Descriptions that are compared with a file: title, and HTML in a language, by case. */
export type GoldenCases = Readonly<Record<string, (language: Language) => string>>;

/** Tags that a description is made of; anything else in it was let through from a user. */
const allowedTags: ReadonlySet<string> = new Set(['p', 'ul', 'li', 'b', 'i', 'code']);

/**
 * Compares descriptions with a golden file beside the test: a line a case with its title, a tab, its French, and a line
 * below with a tab and its English. Both are read by people: who changes a sentence makes the file again
 * (`npx vitest run <the test> -u`) and reads the difference.
 */
export async function expectGolden(file: string, cases: GoldenCases): Promise<void> {
  const lines = Object.entries(cases).flatMap(([title, describe]) => {
    const described = languages.map(describe);
    for (const html of described) {
      expect(html, title).not.toMatch(/[\n\t]/);
      expect(htmlFault(html), title).toBeUndefined();
    }
    return described.map((html, i) => `${i === 0 ? title : ''}\t${html}\n`);
  });
  await expect(lines.join('')).toMatchFileSnapshot(file);
}

/** What is wrong with a piece of HTML: a tag that is not a description's own, or one that does not fit the others. */
export function htmlFault(html: string): string | undefined {
  const open: string[] = [];
  for (const [tag, slash, name = ''] of html.matchAll(/<(\/?)([^>]*)>/g)) {
    if (!allowedTags.has(name)) return `${tag} is not a tag of descriptions`;
    if (slash === '') open.push(name);
    else if (open.pop() !== name) return `${tag} closes nothing`;
  }
  const bare = /[<>"']|&(?!(?:amp|lt|gt|quot|apos);)/.exec(html.replaceAll(/<\/?[a-z]+>/g, ''));
  if (bare) return `${bare[0]} is not escaped`;
  return open.length > 0 ? `${open.join(', ')} stays open` : undefined;
}
