import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StallingSftp } from '../testing/stalling-sftp.ts';
import { LocalRepository } from './local-repository.ts';
import { RemoteRepository } from './remote-repository.ts';
import { connectFirst } from './sftp-connection.ts';

describe("a folder of the site's own", () => {
  const nbFiles = 50;
  const folder = ['été', 'août', 'à', 'é', 'è'].join('/');
  const { lstat, realpath } = fs;
  let root: string;
  let files: LocalRepository;
  let calls: { lstat: number; realpath: number };
  beforeEach(async () => {
    root = await fs.mkdtemp(join(tmpdir(), 'facteur-listing-'));
    await fs.mkdir(join(root, folder), { recursive: true });
    for (let i = 0; i < nbFiles; i++) await fs.writeFile(join(root, folder, `abonnés ${i}.csv`), 'x');
    files = await LocalRepository.open(root);
    calls = { lstat: 0, realpath: 0 };
  });
  afterEach(async () => {
    Object.assign(fs, { lstat, realpath });
    syncBuiltinESMExports();
    await fs.rm(root, { recursive: true });
  });

  /** Counts what the disk is requested from now on. */
  const count = (each: () => void = () => undefined) => {
    const counted = <Name extends 'lstat' | 'realpath'>(name: Name, call: (path: string) => unknown) => {
      return (path: string) => {
        calls[name]++;
        each();
        return call(path);
      };
    };
    Object.assign(fs, { lstat: counted('lstat', lstat), realpath: counted('realpath', realpath) });
    syncBuiltinESMExports();
  };

  it('is located once, however many accents its path has; each entry costs one call', async () => {
    count();
    expect(await files.list(folder)).toHaveLength(nbFiles);
    expect(calls.lstat).toBeGreaterThanOrEqual(nbFiles);
    expect(calls.lstat).toBeLessThan(nbFiles + 10);
    expect(calls.realpath).toBe(1);
  });

  it('is left when the signal aborts', async () => {
    const aborted = new AbortController();
    count(() => {
      if (calls.lstat === 20) aborted.abort(new Error('too late'));
    });
    await expect(files.list(folder, undefined, aborted.signal)).rejects.toThrow('too late');
    expect(calls.lstat).toBe(20);
  });

  it('lists names with decomposed accents, and neither links nor names that cannot be requested', async () => {
    const decomposed = 'abonne\u0301s.csv';
    await fs.writeFile(join(root, folder, decomposed), 'four');
    await fs.symlink('/etc/passwd', join(root, folder, 'link'));
    await fs.writeFile(join(root, folder, 'back\\slash'), '');
    await fs.writeFile(join(root, folder, 'line\nbreak'), '');
    const entries = await files.list(folder);
    expect(entries).toHaveLength(nbFiles + 1);
    expect(entries.find(({ name }) => name === decomposed)).toMatchObject({ size: 4, isDirectory: false });
  });
});

describe('a folder of an external server', () => {
  let server: StallingSftp;
  let files: RemoteRepository;
  beforeEach(async () => {
    server = await StallingSftp.start();
    const access = { ...server.access, privateKey: null };
    files = new RemoteRepository(await connectFirst(access, access.host, undefined), '');
  });
  afterEach(async () => {
    await files.close();
    await server.close();
  });
  const names = (piece: number) => Array.from({ length: 100 }, (_, i) => `${piece * 100 + i}.csv`);

  it('is read no further than its limit', async () => {
    server.listing = (piece) => (piece < 500 ? names(piece) : undefined);
    await expect(files.list('', 1_000)).rejects.toMatchObject({ status: 422 });
    expect(server.pieces).toBe(11);
  });

  it('is read to its end within the limit', async () => {
    server.listing = (piece) => (piece < 10 ? ['.', '..', ...names(piece)] : undefined);
    const entries = await files.list('', 1_000);
    expect(entries).toHaveLength(1_000);
    expect(entries[0]).toEqual({ name: '0.csv', size: 1, modifiedAt: new Date(1e12), isDirectory: false });
  });

  it('is left when the signal aborts', async () => {
    const aborted = new AbortController();
    server.listing = (piece) => {
      if (piece === 3) aborted.abort(new Error('too late'));
      return piece < 500 ? names(piece) : undefined;
    };
    await expect(files.list('', undefined, aborted.signal)).rejects.toThrow('too late');
    expect(server.pieces).toBe(4);
  });

  it('is 503 when the connection breaks', async () => {
    server.listing = (piece) => {
      server.reset();
      return names(piece);
    };
    await expect(files.list('')).rejects.toMatchObject({ status: 503 });
  });
});
