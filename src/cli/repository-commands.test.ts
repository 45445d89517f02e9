import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { siteOfLogin } from '../accounts/sftp-account-store.ts';
import { newSshKey } from '../files/host-key.ts';
import { type SftpServer, startSftpServer } from '../files/sftp-server.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { describeWith } from '../testing/daemon.ts';
import { SftpElsewhere } from '../testing/sftp-elsewhere.ts';
import { readCommand } from './command-line.ts';
import { runOn } from './run-command.ts';
import { inputOf } from './stdin.ts';

const run = promisify(execFile);

describe('commands about repositories and SFTP accounts', () => {
  let t: TestApp;
  let elsewhere: SftpElsewhere;
  let server: SftpServer;
  const work = mkdtempSync(join(tmpdir(), 'facteur-commands-'));
  const key = newSshKey();
  beforeAll(async () => {
    [t, elsewhere] = await Promise.all([testApp(), SftpElsewhere.start()]);
    writeFileSync(join(work, 'key'), key.private, { mode: 0o600 });
    await t.call('POST', '/admin/v1/sites', { body: { name: 'shop' } });
    // As serve.ts starts it.
    server = await startSftpServer({
      port: 0,
      dataDir: t.dataDir,
      log: t.app.log,
      authenticate: (login, proof) => siteOfLogin(t.app.control, t.app.secrets, login, proof),
    });
  });
  afterAll(async () => {
    await Promise.all([server.close(), elsewhere.close(), t.close()]);
    rmSync(work, { recursive: true });
  });

  /** Returns the output of `facteur <words>`, as values. */
  const facteur = async (words: readonly string[], firstLine = '', site = 'shop') => {
    const printed: string[] = [];
    await runOn(t.app, readCommand([...words, '--site', site]), {
      print: (line) => printed.push(line),
      note: () => undefined,
      stdin: inputOf(Readable.from([Buffer.from(firstLine)])),
    });
    expect(printed.join('\n')).not.toContain('PRIVATE KEY');
    return printed.map((line) => JSON.parse(line));
  };
  const signsIn = (config: ssh2.ConnectConfig) =>
    new Promise<boolean>((resolve) => {
      const client = new ssh2.Client();
      client.on('ready', () => {
        client.end();
        resolve(true);
      });
      client.on('error', () => resolve(false));
      client.connect({ host: '127.0.0.1', port: server.port, username: 'shop', ...config });
    });

  it('register, choose, try and delete a repository', async () => {
    const add = [
      'repository',
      'add',
      '--host',
      '127.0.0.1',
      '--port',
      String(elsewhere.port),
      '--login',
      'us',
    ];
    elsewhere.at('in');
    const [made] = await facteur([...add, '--password-stdin', '--subfolder', 'in'], 'secret');
    expect(made).toMatchObject({
      hasPassword: true,
      subfolder: 'in',
      hostKeyFingerprint: elsewhere.fingerprint,
    });
    writeFileSync(join(work, 'theirs'), elsewhere.privateKey);
    const [keyed] = await facteur([
      ...add,
      '--key-file',
      join(work, 'theirs'),
      '--host-key',
      elsewhere.fingerprint,
    ]);
    expect(keyed).toMatchObject({ hasPassword: false, hasPrivateKey: true });
    expect(await facteur(['repository', 'list'])).toEqual([made, keyed]);
    expect(await facteur(['repository', 'test', String(made.id)])).toEqual([
      { nbEntries: 0, canWrite: true, writeError: null },
    ]);
    expect(await facteur(['repository', 'default', String(made.id)])).toEqual([
      { idRepository: made.id, port: elsewhere.port, host: '127.0.0.1', subfolder: 'in' },
    ]);
    await expect(facteur(['repository', 'delete', String(made.id)])).rejects.toMatchObject({ status: 409 });
    expect(await facteur(['repository', 'default', '0'])).toEqual([
      { idRepository: 0, port: t.app.config.sftpPort, host: 'mail.test', subfolder: '' },
    ]);
    await expect(
      facteur([...add.with(3, '127.0.0.1:22'), '--password-stdin'], 'secret'),
    ).rejects.toMatchObject({
      message: expect.stringContaining('host: must be a host name'),
    });
    await expect(facteur([...add, '--password-stdin'], 'wrong')).rejects.toMatchObject({
      message: expect.stringMatching(/^password: /),
    });
    await expect(facteur([...add.with(5, '65536'), '--password-stdin'], 'secret')).rejects.toMatchObject({
      message: expect.stringContaining('port: must be at most 65535'),
    });
    await facteur(['repository', 'delete', String(made.id)]);
    await elsewhere.changeKey();
    await expect(facteur(['repository', 'test', String(keyed.id)])).rejects.toMatchObject({ status: 503 });
    await facteur(['repository', 'accept-key', String(keyed.id), '--host-key', elsewhere.fingerprint]);
    await facteur(['repository', 'test', String(keyed.id)]);
  });

  it('let a key in and shut it out again', async () => {
    expect(await signsIn({ privateKey: key.private })).toBe(false);
    const [added] = await facteur(['sftp-key', 'add', ...key.public.split(' ').slice(0, 2), 'me']);
    expect(added).toMatchObject({ type: 'ssh-ed25519', comment: 'me' });
    expect(await facteur(['sftp-key', 'list'])).toEqual([added]);
    expect(await signsIn({ privateKey: key.private })).toBe(true);
    expect(await signsIn({ username: 'demo', privateKey: key.private })).toBe(false);
    expect(await signsIn({ privateKey: newSshKey().private })).toBe(false);
    await facteur(['sftp-key', 'remove', added.fingerprint]);
    expect(await signsIn({ privateKey: key.private })).toBe(false);
  });

  it('change the password', async () => {
    const { data } = await t.call('GET', '/admin/v1/sites/shop/sftp-account');
    const { password } = data as { password: string };
    expect(await signsIn({ password })).toBe(true);
    const [renewed] = await facteur(['sftp-password', 'renew']);
    expect([await signsIn({ password: renewed.password }), await signsIn({ password })]).toEqual([
      true,
      false,
    ]);
  });

  it('404 for a site that does not exist', async () => {
    await expect(facteur(['repository', 'list'], '', 'nowhere')).rejects.toMatchObject({
      message: 'Site not found',
    });
  });

  describeWith('sftp', "with Debian's own client", () => {
    it('a key signs in to the account of its site', async () => {
      await facteur(['sftp-key', 'add', key.public]);
      writeFileSync(join(work, 'up.csv'), 'email\n');
      writeFileSync(join(work, 'batch'), 'put up.csv\nget up.csv down.csv\nbye\n');
      const options = ['-o', 'StrictHostKeyChecking=no', '-o', `UserKnownHostsFile=${work}/hosts`];
      const args = ['-F', 'none', ...options, '-i', join(work, 'key'), '-P', String(server.port)];
      await run('sftp', [...args, '-b', join(work, 'batch'), 'shop@127.0.0.1'], {
        cwd: work,
        timeout: 100_000,
      });
      expect(readFileSync(join(work, 'down.csv'), 'utf8')).toBe('email\n');
    });
  });
});
