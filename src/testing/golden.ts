import { expect } from 'vitest';

/** Descriptions that are compared with a file: title and HTML by case. */
export type GoldenCases = Readonly<Record<string, string>>;

/** Tags that a description is made of; anything else in it was let through from a user. */
const allowedTags: ReadonlySet<string> = new Set(['p', 'ul', 'li', 'b', 'i', 'code']);

/**
 * Compares descriptions with a golden file beside the test: a line a case, its title, a tab, its HTML. French is read
 * by people: who changes a sentence makes the file again (`npx vitest run <the test> -u`) and reads the difference.
 */
export async function expectGolden(file: string, cases: GoldenCases): Promise<void> {
  for (const [title, html] of Object.entries(cases)) {
    expect(html, title).not.toMatch(/[\n\t]/);
    expect(htmlFault(html), title).toBeUndefined();
  }
  const lines = Object.entries(cases).map(([title, html]) => `${title}\t${html}\n`);
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
