import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeOnSmallDisk, mountSmallDisk } from '../testing/small-disk.ts';
import { Quarantine } from './quarantine.ts';

let dir: string;
let told: { level: number; msg: string; dropped?: number; lines?: number }[];
const log = () => pino({ level: 'info' }, { write: (line: string) => told.push(JSON.parse(line)) });
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'aside-'));
  told = [];
});
afterEach(() => rm(dir, { recursive: true }));

it('keeps what the database refuses out of the way, and says so', async () => {
  const aside = new Quarantine(dir, 'a-1-b', log());
  await aside.keepLines(['a line\n'], 'hits were refused', { idSite: 7 });
  await aside.keepLines(['another\n'], 'hits were refused');
  expect(await readFile(join(dir, 'a-1-b.refused'), 'utf8')).toBe('a line\nanother\n');
  expect(await aside.state()).toEqual({ files: 1, bytes: 15, dropped: 0 });
  expect(told[0]).toMatchObject({ level: 50, idSite: 7, lines: 1, msg: 'hits were refused and quarantined' });
});

it('keeps files that may not be read, under a name that is not read', async () => {
  const aside = new Quarantine(dir, 'a-1-b', log());
  await writeFile(join(dir, 'x.hits'), 'lines');
  await aside.keepFile(join(dir, 'x.hits'), 'is too old');
  await aside.keepFile(join(dir, 'gone.hits'), 'is too old');
  expect(await readdir(dir)).toEqual(['x.hits.old']);
  expect(told).toMatchObject([{ level: 50, msg: 'a spool file is too oldand was quarantined' }]);
});

it('takes its share of the disk and no more; what has no room is dropped loudly, the oldest kept', async () => {
  const aside = new Quarantine(dir, 'a-1-b', log(), 20);
  await aside.keepLines(['1234567\n'], 'hits were refused');
  await aside.keepLines(['x'.repeat(20)], 'hits were refused');
  expect(told.at(-1)).toMatchObject({
    level: 50,
    lines: 1,
    dropped: 1,
    msg: expect.stringContaining('DROPPED'),
  });
  await writeFile(join(dir, 'x.hits'), 'x'.repeat(20));
  await aside.keepFile(join(dir, 'x.hits'), 'is too old');
  expect(told.at(-1)).toMatchObject({ level: 50, dropped: 2, msg: expect.stringContaining('DROPPED') });
  await aside.keepLines(['12345\n', '12345\n'], 'hits were refused');
  expect(await readdir(dir)).toEqual(['a-1-b.refused']);
  expect(await aside.state()).toEqual({ files: 1, bytes: 20, dropped: 2 });
  // Removed files make room again, and files that other processes quarantined count.
  await rm(join(dir, 'a-1-b.refused'));
  await writeFile(join(dir, 'c-2-d.refused'), 'x'.repeat(15));
  await aside.keepLines(['12345\n'], 'hits were refused');
  expect(await aside.state()).toEqual({ files: 1, bytes: 15, dropped: 3 });
});

describeOnSmallDisk('a disk that becomes full', () => {
  it('leaves no half line, behind which the same lines would be lost when there is room again', async () => {
    const disk = mountSmallDisk(512 * 1024, dir);
    try {
      const aside = new Quarantine(disk.folder, 'a-1-b', log());
      await aside.keepLines(['first\n'], 'hits were refused');
      await writeFile(join(disk.folder, 'other'), Buffer.alloc(384 * 1024));
      const lines = [`${'x'.repeat(200 * 1024)}\n`, 'third\n'];
      await expect(aside.keepLines(lines, 'hits were refused')).rejects.toThrow('ENOSPC');
      await rm(join(disk.folder, 'other'));
      await aside.keepLines(lines, 'hits were refused');
      const kept = await readFile(join(disk.folder, 'a-1-b.refused'), 'utf8');
      expect(kept.split('\n').map((line) => line.length)).toEqual([5, 200 * 1024, 5, 0]);
    } finally {
      disk.close();
    }
  });
});
