import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { RepositoryFiles } from '../files/repository.ts';

/** Tests of any repository, wherever its files are. Its folder is empty at first. */
export function behavesAsRepository(open: () => Promise<RepositoryFiles>): void {
  test('writes, reads, lists and removes files in sub-directories', async () => {
    const files = await open();
    expect(await files.list('')).toEqual([]);
    await files.write('in/a b.csv', Readable.from([Buffer.from('one'), Buffer.from('two')]));
    await files.write('in/a b.csv', Readable.from([Buffer.from('three')]));
    expect(await text(await files.read('in/a b.csv'))).toBe('three');
    expect(await files.stat('in/a b.csv')).toMatchObject({ size: 5 });
    expect(await files.list('in')).toMatchObject([{ name: 'a b.csv', size: 5, isDirectory: false }]);
    expect(await files.list('')).toMatchObject([{ name: 'in', isDirectory: true }]);
    expect(await files.list('none')).toEqual([]);
    expect([await files.stat('in'), await files.stat('none'), await files.remove('none')]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    await expect(files.read('none')).rejects.toMatchObject({ status: 404 });
    expect(await files.remove('in/a b.csv')).toBe(true);
    await files.close();
  });

  test('moves a large file whole', async () => {
    const files = await open();
    const block = Buffer.from(Array.from({ length: 1_000_000 }, (_, i) => (i * 7919) >> 5));
    await files.write('large.bin', Readable.from(Array<Buffer>(20).fill(block)));
    let bytes = 0;
    for await (const chunk of await files.read('large.bin')) {
      const at = bytes % block.length;
      const expected = Buffer.concat([block, block]).subarray(at, at + chunk.length);
      if (chunk.length <= block.length && !expected.equals(chunk)) throw new Error(`differs at ${bytes}`);
      bytes += chunk.length;
    }
    expect(bytes).toBe(20_000_000);
    await files.remove('large.bin');
    await files.close();
  });

  keepsWholeFiles(open);

  test.each(['../x', 'a/../../x', '/etc/passwd', 'a\\..\\x', 'a\0', '', '.', 'a//b', 'x'.repeat(300)])(
    'refuses the name %j',
    async (name) => {
      const files = await open();
      for (const call of [
        files.read(name),
        files.stat(name),
        files.remove(name),
        files.write(name, Readable.from([])),
      ]) {
        await expect(call).rejects.toMatchObject({ status: 400 });
      }
      await files.close();
    },
  );
}

function keepsWholeFiles(open: () => Promise<RepositoryFiles>): void {
  test('leaves nothing behind of a file that did not come whole, and keeps the one before', async () => {
    const files = await open();
    await files.write('broken.csv', Readable.from([Buffer.from('whole')]));
    const broken = new Readable({
      read() {
        this.push('half');
        this.destroy(new Error('source is gone'));
      },
    });
    await expect(files.write('broken.csv', broken)).rejects.toThrow();
    expect((await files.list('')).filter((entry) => !entry.isDirectory).map(({ name }) => name)).toEqual([
      'broken.csv',
    ]);
    expect(await text(await files.read('broken.csv'))).toBe('whole');
    await files.remove('broken.csv');
    await files.close();
  });
}
