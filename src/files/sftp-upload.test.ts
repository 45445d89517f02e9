import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../testing/until.ts';
import { RemoteRepository } from './remote-repository.ts';
import { connectFirst } from './sftp-connection.ts';
import { type SftpServer, siteFolderPath, startSftpServer } from './sftp-server.ts';

let dataDir: string;
let server: SftpServer;
const start = (port = 0) =>
  startSftpServer({ port, dataDir, log: pino({ level: 'silent' }), authenticate: async () => 1 });
const open = async () => {
  const account = { host: '127.0.0.1', port: server.port, login: 'us', password: 'x', privateKey: null };
  return new RemoteRepository(await connectFirst(account, account.host, undefined), '');
};
const path = (name: string) => join(siteFolderPath(dataDir, 1), name);

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'facteur-upload-'));
  server = await start();
});
afterAll(async () => {
  await server.close();
  rmSync(dataDir, { recursive: true });
});

test.each([0, 1, 32_768, 32_769, 300_000, 5_000_001])(
  'pieces of %i bytes arrive as they were',
  async (size) => {
    const files = await open();
    const pieces = [randomBytes(size), Buffer.from('|'), randomBytes(size)];
    await files.write('out/file.bin', Readable.from(pieces));
    await files.close();
    expect(readFileSync(path('out/file.bin')).equals(Buffer.concat(pieces))).toBe(true);
    expect(readdirSync(path('out'))).toEqual(['file.bin']);
  },
);

test('the temporary file has the name requested, and the old file stays until the new one is whole', async () => {
  const files = await open();
  await files.write('list.csv', Readable.from([Buffer.from('old')]));
  let proceed = () => {};
  const isSeen = new Promise<void>((resolve) => {
    proceed = resolve;
  });
  const source = Readable.from(
    (async function* () {
      yield Buffer.from('new');
      await isSeen;
      yield Buffer.from('er');
    })(),
  );
  const written = files.write('list.csv', source, '.list-7.tmp');
  await until(() => readdirSync(path('')).includes('.list-7.tmp'), 'the temporary file');
  expect(readFileSync(path('list.csv'), 'utf8')).toBe('old');
  proceed();
  await written;
  await files.close();
  expect(readFileSync(path('list.csv'), 'utf8')).toBe('newer');
  expect(readdirSync(path('')).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('a temporary file that somebody has removed leaves the old file as it was', async () => {
  const files = await open();
  await files.write('kept.csv', Readable.from([Buffer.from('old')]));
  const source = Readable.from(
    (async function* () {
      yield Buffer.from('new');
      await until(() => readdirSync(path('')).includes('.kept.tmp'), 'the temporary file');
      rmSync(path('.kept.tmp'));
    })(),
  );
  await expect(files.write('kept.csv', source, '.kept.tmp')).rejects.toThrow();
  await files.close();
  expect(readFileSync(path('kept.csv'), 'utf8')).toBe('old');
});

test('a server that disconnects ends the source, and no file has the name', async () => {
  const files = await open();
  const source = new Readable({
    read() {
      this.push(randomBytes(100_000));
    },
  });
  const written = files.write('half.bin', source);
  await until(() => readdirSync(path('')).some((name) => name.endsWith('.tmp')), 'the temporary file');
  const failed = expect(written).rejects.toThrow();
  await server.close();
  await failed;
  expect(source.destroyed).toBe(true);
  expect(readdirSync(path(''))).not.toContain('half.bin');
  server = await start();
  await files.close().catch(() => undefined);
});

test('a server that disconnects during a slow source is noticed, although no response is awaited', async () => {
  const files = await open();
  let isGone = () => {};
  const gone = new Promise<void>((resolve) => {
    isGone = resolve;
  });
  const source = Readable.from(
    (async function* () {
      yield Buffer.from('first');
      await gone;
      yield Buffer.from('second');
    })(),
  );
  const failed = expect(files.write('slow.csv', source, '.slow.tmp')).rejects.toThrow('the connection broke');
  const isThere = () => readFileSync(path('.slow.tmp'), 'utf8') === 'first';
  await until(() => readdirSync(path('')).includes('.slow.tmp') && isThere(), 'the first piece');
  await server.close();
  await failed;
  isGone();
  server = await start();
  await files.close().catch(() => undefined);
});
