import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, testApp } from '../testing/app.ts';
import { openRepository } from './open-repository.ts';
import type { RepositoryFiles } from './repository.ts';
import { addRepository } from './repository-store.ts';
import { type SftpServer, startSftpServer } from './sftp-server.ts';

let t: TestApp;
let elsewhere: string;
let server: SftpServer;
const startElsewhere = (dataDir: string, port = 0) =>
  startSftpServer({
    port,
    dataDir,
    log: pino({ level: 'silent' }),
    authenticate: async (_login, proof) =>
      proof.kind === 'password' && proof.password === 'secret' ? 1 : undefined,
  });

beforeAll(async () => {
  t = await testApp();
  elsewhere = mkdtempSync(join(tmpdir(), 'facteur-elsewhere-'));
  server = await startElsewhere(elsewhere);
});
afterAll(async () => {
  await server.close();
  await t.close();
  rmSync(elsewhere, { recursive: true });
});

const account = () => ({ host: '127.0.0.1', port: server.port, login: 'us', password: 'secret' });
async function open(kind: string): Promise<RepositoryFiles> {
  if (kind === 'default') return openRepository(t.app, t.db, null);
  const id = await addRepository(t.db, t.app.secrets, { ...account(), subfolder: '/shared/ours/' });
  return openRepository(t.app, t.db, id);
}

describe.each(['default', 'external'])('the %s repository', (kind) => {
  test('writes, reads, lists and removes files in sub-directories', async () => {
    const files = await open(kind);
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

  test('leaves nothing behind of a file that did not come whole', async () => {
    const files = await open(kind);
    const broken = new Readable({
      read() {
        this.push('half');
        this.destroy(new Error('source is gone'));
      },
    });
    await expect(files.write('broken.csv', broken)).rejects.toThrow();
    expect((await files.list('')).filter((entry) => !entry.isDirectory)).toEqual([]);
    await files.close();
  });

  test.each(['../x', 'a/../../x', '/etc/passwd', 'a\\..\\x', 'a\0', '', '.', 'a//b', 'x'.repeat(300)])(
    'refuses the name %j',
    async (name) => {
      const files = await open(kind);
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
});

test('a planted link is not read', async () => {
  const files = await open('default');
  const root = join(t.dataDir, 'sftp', String(t.db.site.id));
  writeFileSync(join(t.dataDir, 'secret'), 'secret');
  symlinkSync(join(t.dataDir, 'secret'), join(root, 'link.csv'));
  await expect(files.read('link.csv')).rejects.toThrow('Permission denied');
  await files.write('link.csv', Readable.from(['mine']));
  expect(readFileSync(join(t.dataDir, 'secret'), 'utf8')).toBe('secret');
  expect(readdirSync(root).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('the key of an external server is pinned at the first connection', async () => {
  const id = await addRepository(t.db, t.app.secrets, { ...account(), subfolder: '' });
  await (await openRepository(t.app, t.db, id)).close();
  const { port } = server;
  await server.close();
  const impostor = mkdtempSync(join(tmpdir(), 'facteur-impostor-'));
  server = await startElsewhere(impostor, port);
  await expect(openRepository(t.app, t.db, id)).rejects.toMatchObject({
    status: 503,
    message: expect.stringContaining('shows another key'),
  });
  await server.close();
  server = await startElsewhere(elsewhere, port);
  rmSync(impostor, { recursive: true });
  await (await openRepository(t.app, t.db, id)).close();
  await expect(openRepository(t.app, t.db, 999)).rejects.toMatchObject({ status: 404 });
});
