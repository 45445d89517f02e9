import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pino from 'pino';
import ssh2, { type Client, type ConnectConfig, type SFTPWrapper } from 'ssh2';
import SftpClient from 'ssh2-sftp-client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { describeWith } from '../testing/daemon.ts';
import { withWire as connectWire, errorOf } from '../testing/sftp-wire.ts';
import { until } from '../testing/until.ts';
import { newSshKey } from './host-key.ts';
import { LoginBackoff } from './login-backoff.ts';
import { type SftpServer, type SftpServerOptions, startSftpServer } from './sftp-server.ts';

const run = promisify(execFile);
const nothing = () => undefined;
const quiet = { error: nothing, end: nothing, close: nothing };

let dataDir: string;
let server: SftpServer;
const key = newSshKey();
const isOurs = (shown: Buffer) => shown.equals(Buffer.from(key.public.split(' ')[1]!, 'base64'));
const start = (more: Partial<SftpServerOptions> = {}) =>
  startSftpServer({
    port: 0,
    dataDir,
    log: pino({ level: 'silent' }),
    authenticate: async (login, proof) => {
      if (login !== 'demo' && login !== 'other') return undefined;
      const fits = proof.kind === 'password' ? proof.password === `${login} secret` : isOurs(proof.key);
      return fits ? (login === 'demo' ? 7 : 8) : undefined;
    },
    ...more,
  });

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'facteur-sftp-'));
  server = await start();
});
afterAll(async () => {
  await server.close();
  rmSync(dataDir, { recursive: true });
});

const root = () => join(dataDir, 'sftp', '7');
const access = (login = 'demo'): ConnectConfig => ({
  host: '127.0.0.1',
  port: server.port,
  username: login,
  password: `${login} secret`,
});

async function withClient<T>(work: (client: SftpClient) => Promise<T>, login = 'demo'): Promise<T> {
  const client = new SftpClient('test', quiet);
  await client.connect(access(login));
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const withWire = <T>(work: (sftp: SFTPWrapper, connection: Client) => Promise<T>) =>
  connectWire(access(), work);

beforeEach(() => {
  rmSync(root(), { recursive: true, force: true });
  mkdirSync(root(), { recursive: true });
});

describe('with the client of ssh2-sftp-client', () => {
  test('puts, lists, reads, renames and removes', async () => {
    const body = Buffer.alloc(3_000_000, 'ab;cd\n');
    await withClient(async (client) => {
      await client.mkdir('in/2026', true);
      await client.put(body, 'in/2026/people.csv');
      expect((await client.list('in/2026')).map((entry) => [entry.name, entry.type, entry.size])).toEqual([
        ['people.csv', '-', body.length],
      ]);
      expect(body.equals((await client.get('/in/2026/people.csv')) as Buffer)).toBe(true);
      await client.append(Buffer.from('end'), 'in/2026/people.csv');
      await client.rename('in/2026/people.csv', 'in/done.csv');
      expect(await client.exists('in/2026/people.csv')).toBe(false);
      expect((await client.stat('in/done.csv')).size).toBe(body.length + 3);
      await client.delete('in/done.csv');
      await client.rmdir('in', true);
      expect(await client.list('/')).toEqual([]);
    });
  });

  test('moves many blocks at once without losing one', async () => {
    const local = join(dataDir, 'local.bin');
    const body = Buffer.from(Array.from({ length: 20_000_000 }, (_, i) => (i * 7919) >> 5));
    writeFileSync(local, body);
    await withClient(async (client) => {
      await client.fastPut(local, 'big.bin');
      await client.fastGet('big.bin', `${local}.back`);
    });
    expect(readFileSync(join(root(), 'big.bin')).equals(body)).toBe(true);
    expect(readFileSync(`${local}.back`).equals(body)).toBe(true);
  });

  test('each account sees its own folder only', async () => {
    await withClient((client) => client.put(Buffer.from('x'), 'mine.csv'));
    expect(await withClient((client) => client.list('/'), 'other')).toEqual([]);
  });

  test('files and folders are for the owner only', async () => {
    await withClient(async (client) => {
      await client.mkdir('d');
      await client.put(Buffer.from('x'), 'd/f');
    });
    expect(statSync(join(root(), 'd')).mode & 0o777).toBe(0o700);
    expect(statSync(join(root(), 'd/f')).mode & 0o777).toBe(0o600);
  });

  test('refuses a wrong password, an unknown login and a key that is not theirs', async () => {
    const stranger = newSshKey().private;
    for (const wrong of [
      { password: 'no' },
      { username: 'nobody' },
      { password: '', privateKey: stranger },
    ]) {
      const client = new SftpClient('test', quiet);
      client.on('error', () => undefined);
      await expect(client.connect({ ...access(), ...wrong })).rejects.toThrow(/authentication/i);
    }
  });
});

describe('guessing passwords', () => {
  const local = '127.0.0.1';
  /** Signs in at another server than the usual one. */
  const signIn = async ({ port }: SftpServer, more: ConnectConfig) => {
    const client = new SftpClient('test', quiet);
    client.on('error', nothing);
    const proof = more.privateKey ? {} : { password: 'demo secret' };
    await client.connect({ host: '127.0.0.1', port, username: 'demo', ...proof, ...more });
    await client.end();
  };

  test('each password counts, of its address at the login; keys do not; a right password forgets', async () => {
    const backoff = new LoginBackoff();
    const own = await start({ backoff });
    const stranger = newSshKey().private;
    for (let i = 0; i < 5; i++)
      await expect(signIn(own, { privateKey: stranger })).rejects.toThrow(/authentication/i);
    for (let i = 0; i < 2; i++)
      await expect(signIn(own, { password: 'no' })).rejects.toThrow(/authentication/i);
    expect(backoff.begin(local, 'demo', Date.now())).toBe(0);
    expect(backoff.begin(local, 'demo', Date.now())).toBe(500);
    await signIn(own, {});
    expect(backoff.begin(local, 'demo', Date.now())).toBe(0);
    await own.close();
  });

  test('a stranger who guesses twenty at a time delays neither the key nor the password of the owner', async () => {
    const own = await start();
    let waiting = 0;
    const guesses = Array.from({ length: 20 }, () => {
      const client = new ssh2.Client();
      waiting++;
      const end = () => {
        waiting--;
      };
      client.on('error', nothing).once('close', end);
      client.connect({ ...access(), port: own.port, password: 'guess', localAddress: '127.0.0.2' });
      return client;
    });
    // The free ones have their answer: the others were counted, and wait.
    await until(() => waiting <= 17, 'the first guesses are refused');
    await signIn(own, { privateKey: key.private, password: undefined });
    await signIn(own, {});
    expect(waiting).toBeGreaterThan(5);
    for (const client of guesses) client.destroy();
    await own.close();
  });
});

describe('nothing outside the folder can be reached', () => {
  const escapes = [
    '../8/secret',
    '/../../8/secret',
    'a/../../8/secret',
    '/../8/secret',
    '../../../../etc/passwd',
  ];
  beforeEach(() => {
    mkdirSync(join(dataDir, 'sftp', '8'), { recursive: true });
    writeFileSync(join(dataDir, 'sftp', '8', 'secret'), 'of another site');
  });

  test.each(escapes)('by the name %s', async (name) => {
    await withWire(async (sftp) => {
      expect(await errorOf((done) => sftp.open(name, 'r', done))).toBe('No such file');
      expect(await errorOf((done) => sftp.stat(name, done))).toBe('No such file');
    });
  });

  test('by the way back: names stop at the root', async () => {
    await withClient(async (client) => {
      expect(await client.realPath('..')).toBe('/');
      expect(await client.realPath('a/../../../b')).toBe('/b');
      await client.put(Buffer.from('x'), '../../escaped.csv');
    });
    expect(readFileSync(join(root(), 'escaped.csv'), 'utf8')).toBe('x');
  });

  test('by a link planted on the disk', async () => {
    symlinkSync(join(dataDir, 'sftp', '8'), join(root(), 'dir'));
    symlinkSync(join(dataDir, 'sftp', '8', 'secret'), join(root(), 'file'));
    symlinkSync('/etc/nothing-yet', join(root(), 'dangling'));
    await withWire(async (sftp) => {
      const denied = 'Permission denied';
      expect(await errorOf((done) => sftp.open('file', 'r', done))).toBe(denied);
      expect(await errorOf((done) => sftp.open('file', 'w', done))).toBe(denied);
      expect(await errorOf((done) => sftp.open('dangling', 'w', done))).toBe(denied);
      expect(await errorOf((done) => sftp.open('dir/secret', 'r', done))).toMatch(/link/);
      expect(await errorOf((done) => sftp.opendir('dir', done))).toBeDefined();
      expect(await errorOf((done) => sftp.opendir('dir/.', done))).toBeDefined();
      expect(await errorOf((done) => sftp.stat('file', done))).toBeDefined();
      expect(await errorOf((done) => sftp.mkdir('dir/new', done))).toMatch(/link/);
      expect(await errorOf((done) => sftp.rename('dir/secret', 'mine', done))).toMatch(/link/);
      expect(await errorOf((done) => sftp.setstat('file', { size: 0 } as never, done))).toBe(denied);
    });
    expect(await withClient((client) => client.list('/'))).toEqual([]);
    expect(readFileSync(join(dataDir, 'sftp', '8', 'secret'), 'utf8')).toBe('of another site');
  });

  test('by creating a link, and an existing pipe is not waited for', async () => {
    execFileSync('mkfifo', [join(root(), 'pipe')]);
    await withWire(async (sftp) => {
      expect(await errorOf((done) => sftp.symlink('/etc', 'etc', done))).toMatch(/unsupported/i);
      expect(await errorOf((done) => sftp.readlink('x', done))).toMatch(/unsupported/i);
      expect(await errorOf((done) => sftp.open('pipe', 'r', done))).toBe('Not a plain file');
      expect(await errorOf((done) => sftp.open('pipe', 'w', done))).toBe('Permission denied');
    });
  });

  test.each([
    ['a\u0000b', /control/],
    ['a\nb', /control/],
    ['a\\b', /back-slash/],
    ['a'.repeat(300), /longer/],
    ['a/'.repeat(600), /longer/],
  ])('by the odd name %j', async (name, message) => {
    await withWire(async (sftp) => {
      expect(await errorOf((done) => sftp.open(name, 'w', done))).toMatch(message);
      expect(await errorOf((done) => sftp.mkdir(name, done))).toMatch(message);
    });
  });
});

describe('limits', () => {
  test('gives no shell, runs no command, forwards no port', async () => {
    await withWire(async (_sftp, connection) => {
      expect(await errorOf((done) => connection.exec('id', done))).toBeDefined();
      expect(await errorOf((done) => connection.shell(done))).toBeDefined();
      const inside = createServer();
      await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
      const { port } = inside.address() as { port: number };
      expect(
        await errorOf((done) => connection.forwardOut('127.0.0.1', 1, '127.0.0.1', port, done)),
      ).toBeDefined();
      expect(await errorOf((done) => connection.forwardIn('127.0.0.1', 0, done))).toBeDefined();
      inside.close();
    });
  });

  test('a session holds at most 128 handles, and its end frees them', async () => {
    writeFileSync(join(root(), 'f'), 'x');
    await withWire(async (sftp) => {
      const errors = await Promise.all(
        Array.from({ length: 130 }, () => errorOf((done) => sftp.open('f', 'r', done))),
      );
      expect(errors.filter((error) => error === 'Too many open files')).toHaveLength(2);
    });
    await withWire(async (sftp) => {
      expect(await errorOf((done) => sftp.open('f', 'r', done))).toBeUndefined();
    });
  });

  test('a rename does not overwrite, and handles that were never given are refused', async () => {
    writeFileSync(join(root(), 'a'), 'a');
    writeFileSync(join(root(), 'b'), 'b');
    await withWire(async (sftp) => {
      expect(await errorOf((done) => sftp.rename('a', 'b', done))).toBe('The target exists');
      expect(await errorOf((done) => sftp.close(Buffer.from([0, 0, 0, 9]), done))).toBe('Invalid handle');
      expect(await errorOf((done) => sftp.close(Buffer.from('../../etc'), done))).toBe('Invalid handle');
      expect(await errorOf((done) => sftp.rmdir('/', done))).toBe('The root stays');
    });
    expect(readFileSync(join(root(), 'b'), 'utf8')).toBe('b');
  });

  test('keeps its host key over restarts, readable by the owner only', async () => {
    const path = join(dataDir, 'sftp-host-key');
    const before = readFileSync(path, 'utf8');
    const second = await start();
    await second.close();
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});

describeWith('sftp', 'with the client of OpenSSH', () => {
  test('puts, lists, gets, renames, removes and says goodbye', async () => {
    const work = mkdtempSync(join(tmpdir(), 'facteur-openssh-'));
    writeFileSync(join(work, 'key'), key.private, { mode: 0o600 });
    writeFileSync(join(work, 'sent.csv'), 'email\na@b.fr\n');
    const batch = `mkdir d\nput -p sent.csv d/one.csv\nls -l d\nrename d/one.csv d/two.csv\nget d/two.csv back.csv
cd ..\npwd\nrm d/two.csv\nrmdir d\n-symlink /etc x\nls\nbye\n`;
    writeFileSync(join(work, 'batch'), batch);
    const options = ['-o', 'StrictHostKeyChecking=no', '-o', `UserKnownHostsFile=${work}/hosts`];
    const args = ['-F', 'none', ...options, '-i', join(work, 'key'), '-P', String(server.port)];
    const { stdout } = await run('sftp', [...args, '-b', join(work, 'batch'), 'demo@127.0.0.1'], {
      cwd: work,
      timeout: 100_000,
    });
    expect(stdout).toMatch(/-rw-------.*one\.csv/);
    expect(stdout).toContain('Remote working directory: /');
    expect(readFileSync(join(work, 'back.csv'), 'utf8')).toBe('email\na@b.fr\n');
    rmSync(work, { recursive: true });
  });
});
