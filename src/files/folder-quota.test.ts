import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { pino } from 'pino';
import SftpClient from 'ssh2-sftp-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorOf, withWire } from '../testing/sftp-wire.ts';
import { quotaOf } from './folder-quota.ts';
import { LocalRepository } from './local-repository.ts';
import { type SftpServer, siteFolderPath, startSftpServer } from './sftp-server.ts';

const limit = 1024 ** 2;
const used = 'The quota of 1 MB for the files of this site is used up';
let dataDir: string;
let server: SftpServer;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'facteur-quota-'));
  server = await startSftpServer({
    port: 0,
    dataDir,
    quotaBytes: limit,
    log: pino({ level: 'silent' }),
    authenticate: async (login) => Number(login),
  });
});
afterEach(async () => {
  await server.close();
  rmSync(dataDir, { recursive: true });
});

const root = () => siteFolderPath(dataDir, 1);
const access = (login = '1') => ({ host: '127.0.0.1', port: server.port, username: login, password: 'x' });
const nothing = () => undefined;

async function withClient<T>(work: (client: SftpClient) => Promise<T>, login = '1'): Promise<T> {
  const client = new SftpClient('test', { error: nothing, end: nothing, close: nothing });
  await client.connect(access(login));
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The library's own `put` says that all is well when a write was refused. */
const put = (client: SftpClient, name: string, bytes: number, flags: 'w' | 'a' = 'w') =>
  pipeline(Readable.from([Buffer.alloc(bytes)]), client.createWriteStream(name, { flags }));

describe('over SFTP', () => {
  it('a file that is removed while it is open counts until it is closed', async () => {
    await withWire(access(), async (sftp) => {
      const open = promisify(sftp.open).bind(sftp) as (name: string, flags: string) => Promise<Buffer>;
      const write = (handle: Buffer, at: number) =>
        errorOf((done) => sftp.write(handle, Buffer.alloc(32_768), 0, 32_768, at, done));
      const first = await open('a.bin', 'w');
      for (let at = 0; at < 900_000; at += 32_768) expect(await write(first, at)).toBe(undefined);
      expect(await errorOf((done) => sftp.unlink('a.bin', done))).toBe(undefined);
      const second = await open('b.bin', 'w');
      const answers: (string | undefined)[] = [];
      for (let at = 0; at < 900_000; at += 32_768) answers.push(await write(second, at));
      expect(answers).toContain(used);
      expect(await errorOf((done) => sftp.close(first, done))).toBe(undefined);
      expect(await write(second, 800_000)).toBe(undefined);
    });
  });

  it("a site fills its own quota and nobody else's, and what it removes makes room", async () => {
    await withClient(async (client) => {
      await put(client, 'a.bin', 600_000);
      await expect(put(client, 'b.bin', 600_000)).rejects.toThrow(used);
      await withClient((neighbour) => put(neighbour, 'a.bin', 600_000), '2');
      await client.delete('a.bin');
      await put(client, 'b.bin', 600_000);
      // Written again, a file counts once.
      for (let i = 0; i < 5; i++) await put(client, 'b.bin', 600_000);
      await expect(put(client, 'b.bin', 600_000, 'a')).rejects.toThrow(used);
    });
    expect(statSync(join(root(), 'b.bin')).size).toBeLessThan(limit);
  });

  it('overwriting within a file uses no more space', async () => {
    await withClient((client) => put(client, 'a.bin', 900_000));
    await withWire(access(), async (sftp) => {
      const handle = await new Promise<Buffer>((resolve, reject) =>
        sftp.open('a.bin', 'r+', (error, made) => (error ? reject(error) : resolve(made))),
      );
      for (let i = 0; i < 10; i++)
        expect(
          await errorOf((done) => sftp.write(handle, Buffer.alloc(30_000), 0, 30_000, i * 30_000, done)),
        ).toBe(undefined);
      expect(await errorOf((done) => sftp.write(handle, Buffer.from('x'), 0, 1, 10 ** 12, done))).toBe(used);
      expect(await errorOf((done) => sftp.fsetstat(handle, { size: 10 ** 12 } as never, done))).toBe(used);
      expect(await errorOf((done) => sftp.setstat('a.bin', { size: 10 ** 12 } as never, done))).toBe(used);
      expect(await errorOf((done) => sftp.setstat('a.bin', { size: 10 } as never, done))).toBeUndefined();
    });
    await withClient((client) => put(client, 'b.bin', 900_000));
  });

  it('empty files and directories count as well', async () => {
    await withWire(access(), async (sftp) => {
      const errors = [];
      for (let i = 0; i < 300; i++)
        errors.push(
          await errorOf((done) =>
            i % 2
              ? sftp.mkdir(`d${i}`, done)
              : sftp.open(`f${i}`, 'w', (error, handle) => {
                  if (error) done(error);
                  else sftp.close(handle, done);
                }),
          ),
        );
      expect(errors.filter((error) => error === undefined)).toHaveLength(256);
      expect(new Set(errors.filter(Boolean))).toEqual(new Set([used]));
    });
  });

  it('files from before the program started count', async () => {
    mkdirSync(join(root(), 'deep/er'), { recursive: true });
    writeFileSync(join(root(), 'deep/er/old.bin'), Buffer.alloc(900_000));
    await withClient(async (client) => {
      await expect(put(client, 'new.bin', 200_000)).rejects.toThrow(used);
    });
  });
});

describe('of what the service itself writes', () => {
  it('422, the file before stays, and nothing is left behind', async () => {
    const files = await LocalRepository.open(root(), quotaOf(root(), limit));
    await files.write('out/a.csv', Readable.from([Buffer.from('before')]));
    const blocks = Readable.from(Array<Buffer>(100).fill(Buffer.alloc(65_536)));
    await expect(files.write('out/a.csv', blocks)).rejects.toMatchObject({ status: 422, message: used });
    expect(readFileSync(join(root(), 'out/a.csv'), 'utf8')).toBe('before');
    expect(readdirSync(join(root(), 'out'))).toEqual(['a.csv']);
  });

  it('no limit is no limit', async () => {
    const files = await LocalRepository.open(root(), quotaOf(root(), 0));
    await files.write('a.csv', Readable.from(Array<Buffer>(100).fill(Buffer.alloc(65_536))));
    expect(await files.stat('a.csv')).toMatchObject({ size: 6_553_600 });
  });
});
