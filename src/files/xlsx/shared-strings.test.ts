import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SharedStrings } from './shared-strings.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'facteur-strings-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = (texts: readonly string[]) =>
  SharedStrings.read(
    Readable.from([Buffer.from(`<sst>${texts.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`)]),
    folder,
  );

it('gives every text back, in any order, across blocks and pages', async () => {
  // More than the blocks that are kept, more than one page of places; some longer than a block.
  const texts = Array.from({ length: 70_000 }, (_, i) =>
    i % 9_000 === 5 ? `é${i}`.repeat(6_000).slice(0, 32_767) : `texte n° ${i}`,
  );
  const strings = await read(texts);
  try {
    for (let i = 0; i < texts.length; i++) expect(strings.at(i) === texts[i]).toBe(true);
    for (let i = 0; i < texts.length; i++) {
      const n = (i * 7_919) % texts.length;
      if (strings.at(n) !== texts[n]) expect([n, strings.at(n)]).toEqual([n, texts[n]]);
    }
    expect([-1, 70_000, 0.5, Number.NaN].map((n) => strings.at(n))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    // The file has no name, so that no other process can open it.
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    await strings.close();
  }
});

it('keeps texts apart that end and begin with halves of one character', async () => {
  const strings = await read(['a_xD83D_', '_xDE00_b', '', 'c']);
  expect([0, 1, 2, 3].map((n) => strings.at(n))).toEqual(['a\ufffd', '\ufffdb', '', 'c']);
  await strings.close();
});

it('cuts a text that no cell can hold, one character too long', async () => {
  const strings = await read(['x'.repeat(40_000)]);
  expect(strings.at(0)).toHaveLength(32_768);
  await strings.close();
});
