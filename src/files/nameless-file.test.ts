import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { intoNamelessFile, openNamelessFile } from './nameless-file.ts';

let folder: string;
beforeAll(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'facteur-spool-')), 'tmp');
});
afterAll(() => rmSync(join(folder, '..'), { recursive: true }));

it('keeps content whole, in a file that nobody can find or open', async () => {
  const pieces = Array.from({ length: 50 }, (_, i) => Buffer.from(`piece ${i}\n`.repeat(1_000)));
  const file = await intoNamelessFile(Readable.from(pieces), folder, 1024 ** 2);
  try {
    const stats = await file.stat();
    expect([stats.nlink, stats.mode & 0o777, readdirSync(folder)]).toEqual([0, 0o600, []]);
    const whole = Buffer.concat(pieces);
    const read = await file.read(Buffer.alloc(whole.length + 1), 0, whole.length + 1, 0);
    expect(read.buffer.subarray(0, read.bytesRead).equals(whole)).toBe(true);
  } finally {
    await file.close();
  }
});

it('refuses what is larger than allowed before it has it all', async () => {
  let given = 0;
  function* endless() {
    for (;;) {
      given++;
      yield Buffer.alloc(64 * 1024);
    }
  }
  await expect(intoNamelessFile(Readable.from(endless()), folder, 1024 ** 2)).rejects.toThrow(
    'The file is larger than 1 MB',
  );
  expect(given).toBeLessThan(40);
  expect(readdirSync(folder)).toEqual([]);
});

it('can be written and read by several at once', async () => {
  const [one, other] = await Promise.all([openNamelessFile(folder), openNamelessFile(folder)]);
  await Promise.all([one.write('one'), other.write('other')]);
  expect((await one.stat()).size + (await other.stat()).size).toBe(8);
  await Promise.all([one.close(), other.close()]);
});
