import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../testing/app.ts';
import { describeWith } from '../testing/daemon.ts';
import { OpenSshServer } from '../testing/openssh-server.ts';
import { behavesAsRepository } from '../testing/repository-behaviour.ts';
import { openRepository } from './open-repository.ts';
import type { RepositoryShown } from './repository.ts';
import { acceptHostKey, registerRepository, tryRepository } from './repository-administration.ts';

describeWith('sshd', "Debian's OpenSSH server as an external repository", () => {
  let t: TestApp;
  let server: OpenSshServer;
  let registered: RepositoryShown;
  const register = (rest: object = {}) => registerRepository(t.app, t.db, { ...server.access, ...rest });
  const open = () => openRepository(t.app, t.db, registered.id);

  beforeAll(async () => {
    [t, server] = await Promise.all([testApp(), OpenSshServer.start()]);
    registered = await register();
  });
  afterAll(() => Promise.all([t?.close(), server?.close()]));

  describe('with a key as the login', () => {
    beforeAll(() => rmSync(join(server.folder, 'in'), { recursive: true, force: true }));
    behavesAsRepository(open);

    it('replaces a file without an instant in which there is none', async () => {
      const files = await open();
      await files.write('x.csv', Readable.from(['0']));
      let isDone = false;
      const looking = (async () => {
        for (let looks = 0; ; looks++) {
          if (!readdirSync(server.folder).includes('x.csv')) return `gone at look ${looks}`;
          if (isDone) return 'always there';
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      for (let i = 1; i <= 50; i++) await files.write('x.csv', Readable.from([String(i)]));
      isDone = true;
      expect(await looking).toBe('always there');
      expect(readFileSync(join(server.folder, 'x.csv'), 'utf8')).toBe('50');
      expect(readdirSync(server.folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
      await files.close();
    });

    it('finds a file of a Mac, whose name is decomposed, by its composed name', async () => {
      const decomposed = 'été/abonnés.csv'.normalize('NFD');
      mkdirSync(join(server.folder, 'été'.normalize('NFD')), { recursive: true });
      writeFileSync(join(server.folder, decomposed), 'x');
      const files = await open();
      expect(await files.stat('été/abonnés.csv'.normalize('NFC'))).toMatchObject({ size: 1 });
      expect(await text(await files.read('été/abonnés.csv'.normalize('NFC')))).toBe('x');
      expect(await files.remove('été/abonnés.csv'.normalize('NFC'))).toBe(true);
      await files.close();
    });

    it("reads what the server's own people have linked there", async () => {
      const files = await open();
      symlinkSync(join(server.folder, 'x.csv'), join(server.folder, 'link.csv'));
      expect(await text(await files.read('link.csv'))).toBe('50');
      await files.close();
    });

    it('lists a folder that is a link', async () => {
      mkdirSync(join(server.folder, 'real/below'), { recursive: true });
      writeFileSync(join(server.folder, 'real/y.csv'), 'y');
      symlinkSync('real', join(server.folder, 'linked'));
      const { id } = await register({ subfolder: 'linked' });
      const files = await openRepository(t.app, t.db, id);
      expect((await files.list('')).map(({ name }) => name)).toEqual(['below', 'y.csv']);
      await files.close();
      expect(await tryRepository(t.app, t.db, id)).toEqual({
        nbEntries: 2,
        canWrite: true,
        writeError: null,
      });
      const above = await open();
      expect((await above.list('linked')).map(({ name }) => name)).toEqual(['below', 'y.csv']);
      expect(await above.list('x.csv')).toEqual([]);
      await above.close();
    });

    it('takes an absolute subfolder as it is', async () => {
      const subfolder = `${server.folder}/deep/er`;
      await expect(register({ subfolder })).rejects.toMatchObject({
        status: 422,
        message: `subfolder: the server has no folder '${subfolder}'; create it, or correct the name`,
      });
      mkdirSync(subfolder, { recursive: true });
      const { id } = await register({ subfolder });
      expect(await tryRepository(t.app, t.db, id)).toEqual({
        nbEntries: 0,
        canWrite: true,
        writeError: null,
      });
      expect(readdirSync(join(server.folder, 'deep'))).toEqual(['er']);
    });
  });

  it('422 with a key that the account does not know', async () => {
    const other = await OpenSshServer.start(['ed25519']);
    await expect(register({ privateKey: other.privateKey })).rejects.toMatchObject({
      status: 422,
      message: 'privateKey: The SFTP server 127.0.0.1 cannot be used: it refuses the login',
    });
    await other.close();
  });

  it('finds the key that was given among all that the server has', async () => {
    expect(registered.hostKey.split(' ')[0]).toBe('ssh-ed25519');
    for (const kind of ['ed25519', 'ecdsa', 'rsa'] as const) {
      for (const hostKey of [server.hostKey(kind).trim(), server.fingerprint(kind)]) {
        const made = await register({ hostKey });
        expect(made.hostKeyFingerprint).toBe(server.fingerprint(kind));
        // Later connections request the known kind, even if the server prefers another.
        await (await openRepository(t.app, t.db, made.id)).close();
      }
    }
  });

  describe('when its host key changes', () => {
    let old: string;
    beforeEach(() => {
      old = server.fingerprint('ed25519');
    });

    it('503 until an administrator accepts the new one', async () => {
      await server.stop();
      server.newKey('ed25519');
      await server.run(['ed25519', 'rsa']);
      const shown = server.fingerprint('ed25519');
      await expect(open()).rejects.toMatchObject({
        status: 503,
        code: 'host_key_changed',
        message: expect.stringContaining(`shows the key ${shown} (ssh-ed25519), not the known one, ${old}`),
      });
      await expect(acceptHostKey(t.app, t.db, registered.id, old)).rejects.toMatchObject({ status: 422 });
      await acceptHostKey(t.app, t.db, registered.id, shown);
      await (await open()).close();
    });

    it('503 when it no longer has a key of the known kind', async () => {
      await server.stop();
      await server.run(['rsa']);
      await expect(open()).rejects.toMatchObject({
        code: 'host_key_changed',
        message: expect.stringContaining(`shows no key of this kind, not the known one, ${old}`),
      });
      await acceptHostKey(t.app, t.db, registered.id, server.fingerprint('rsa'));
      await (await open()).close();
    });
  });

  it('ends a transfer that the server aborts, in both directions', async () => {
    const files = await open();
    const block = Buffer.alloc(256 * 1024);
    await files.write('big.bin', Readable.from(Array<Buffer>(100).fill(block)));
    const endless = new Readable({
      read() {
        this.push(block);
      },
    });
    const writing = expect(files.write('endless.bin', endless)).rejects.toThrow('the connection broke');
    const reading = (await files.read('big.bin'))[Symbol.asyncIterator]();
    expect((await reading.next()).value).toHaveLength(32 * 1024);
    server.cutOff();
    const restOf = async () => {
      while (!(await reading.next()).done);
    };
    await expect(restOf()).rejects.toThrow('the connection broke');
    await writing;
    await expect(files.write('later.csv', Readable.from(['x']))).rejects.toThrow('the connection broke');
    await files.close().catch(() => undefined);
  });
});
