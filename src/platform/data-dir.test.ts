import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FacteurProcess } from '../testing/child-process.ts';
import { openDataDir } from './data-dir.ts';

describe('openDataDir', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'facteur-data-dir-'));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('makes the folder and those above it, and lets no one else list it', () => {
    const folder = join(root, 'a', 'b', 'c');
    openDataDir(folder);
    openDataDir(folder);
    expect(statSync(folder).mode & 0o066).toBe(0);
  });

  it('keeps the rights of an existing folder', () => {
    const folder = join(root, 'there');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    openDataDir(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o755);
  });

  it('refuses a file, and a path below one', () => {
    const file = join(root, 'file');
    writeFileSync(file, 'x');
    expect(() => openDataDir(file)).toThrow(`The data directory ${file} cannot be written: ENOTDIR`);
    expect(() => openDataDir(join(file, 'a'))).toThrow(`${join(file, 'a')} cannot be written: ENOTDIR`);
  });

  // A process of its own: a loop without end in here would be one of the test's process.
  it.runIf(existsSync('/proc/self'))('refuses one that its file system does not make', async () => {
    const one = new FacteurProcess(['serve'], { FACTEUR_DATA_DIR: '/proc/facteur/data' });
    try {
      const { code, stderr } = await one.ended;
      expect(code).toBe(1);
      expect(stderr).toMatch(/The data directory \/proc\/facteur\/data cannot be written: ENOENT/);
    } finally {
      one.child.kill('SIGKILL');
    }
  });
});
