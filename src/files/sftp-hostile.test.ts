import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import type { SFTPWrapper } from 'ssh2';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { describeWith } from '../testing/daemon.ts';
import { errorOf, withWire } from '../testing/sftp-wire.ts';
import { newSshKey } from './host-key.ts';
import { type SftpServer, startSftpServer } from './sftp-server.ts';

const run = promisify(execFile);
const key = newSshKey();
let dataDir: string;
let server: SftpServer;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'facteur-hostile-'));
  server = await startSftpServer({
    port: 0,
    dataDir,
    log: pino({ level: 'silent' }),
    authenticate: async () => 7,
  });
});
afterAll(async () => {
  await server.close();
  rmSync(dataDir, { recursive: true });
});

const root = () => join(dataDir, 'sftp', '7');
const other = () => join(dataDir, 'sftp', '8');
const wire = <T>(work: (sftp: SFTPWrapper) => Promise<T>) =>
  withWire({ host: '127.0.0.1', port: server.port, username: 'demo', password: 'x' }, work);

/** All that is outside the site's folder, with its contents. */
function outside(): string {
  const below = (folder: string): string[] =>
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      // The server's own marks of open uploads come and go.
      if (path === root() || /\/\.uploads\/\d+-[0-9a-f-]{36}$/.test(path)) return [];
      const stats = lstatSync(path);
      const what = stats.isDirectory() ? '' : stats.isSymbolicLink() ? 'link' : readFileSync(path, 'hex');
      return [`${path} ${stats.mode} ${what}`, ...(stats.isDirectory() ? below(path) : [])];
    });
  return below(dataDir).join('\n');
}

let before: string;
beforeEach(() => {
  for (const folder of [root(), other()]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
  writeFileSync(join(other(), 'secret'), 'of another site');
  writeFileSync(join(root(), 'own'), 'own');
  before = outside();
});

/** Everything that can be asked of a name, each with the answer it got. */
async function askAll(sftp: SFTPWrapper, name: string): Promise<Record<string, string | undefined>> {
  const asked: Record<string, string | undefined> = {};
  const ask = async (what: string, call: Parameters<typeof errorOf>[0]) => {
    asked[what] = await errorOf(call);
  };
  for (const flags of ['r', 'r+', 'w', 'a', 'wx'] as const)
    await ask(`open ${flags}`, (done) => sftp.open(name, flags, done));
  await ask('opendir', (done) => sftp.opendir(name, done));
  await ask('stat', (done) => sftp.stat(name, done));
  await ask('lstat', (done) => sftp.lstat(name, done));
  await ask('setstat size', (done) => sftp.setstat(name, { size: 0 } as never, done));
  await ask('setstat times', (done) => sftp.utimes(name, 1, 1, done));
  await ask('setstat mode', (done) => sftp.chmod(name, 0o4777, done));
  await ask('setstat owner', (done) => sftp.chown(name, 0, 0, done));
  await ask('mkdir', (done) => sftp.mkdir(name, done));
  await ask('rename to', (done) => sftp.rename('own', name, done));
  await ask('rename from', (done) => sftp.rename(name, 'taken', done));
  await ask('readlink', (done) => sftp.readlink(name, done));
  await ask('symlink to', (done) => sftp.symlink(name, 'l1', done));
  await ask('symlink at', (done) => sftp.symlink('/etc/passwd', name, done));
  await ask('rmdir', (done) => sftp.rmdir(name, done));
  await ask('remove', (done) => sftp.unlink(name, done));
  return asked;
}

describe('names that would lead out', () => {
  it.each([
    '../8/secret',
    '/../8/secret',
    './../8/secret',
    '....//8/secret',
    '.././/8/./secret',
    'own/../../8/secret',
    '..\\8\\secret',
    '%2e%2e/8/secret',
    '..%2f8%2fsecret',
    '/etc/passwd',
    '//etc/passwd',
    'a\0/../../8/secret',
    'secret\0',
    'C:/8/secret',
    'C:\\8\\secret',
    'C:',
    '\\\\host\\share',
    'x.',
    'x ',
    '...',
    '..∕8∕secret',
    '..／8／secret',
    '．．/8/secret',
    '․․/8',
    '~/secret',
    '-rf',
    '$(id)',
    '*',
    'own\u202egnp.exe',
    'a\r\nb',
    'a\u2028b',
    '\ud800',
    'n'.repeat(300),
    'é'.repeat(200),
    `${'a/'.repeat(2000)}x`,
    '',
    '.',
    '..',
    '/',
  ])('%j stays inside, whatever is asked of it', async (name) => {
    const asked = await wire((sftp) => askAll(sftp, name));
    expect(outside()).toBe(before);
    for (const never of ['readlink', 'symlink to', 'symlink at'])
      expect(asked[never]).toMatch(/unsupported/i);
    for (const entry of readdirSync(root(), { recursive: true, withFileTypes: true }))
      expect(entry.isSymbolicLink()).toBe(false);
  });

  it.each([
    ['..%2f8%2fsecret', '..%2f8%2fsecret'],
    ['..∕8', '..∕8'],
    ['C:', 'C:'],
    ['x.', 'x.'],
    ['../../8', '8'],
    ['/x', 'x'],
    ['a/../b', 'b'],
  ])('%j is the file %j of the site', async (asked, name) => {
    await wire(async (sftp) => {
      expect(await errorOf((done) => sftp.open(asked, 'w', done))).toBeUndefined();
    });
    expect(readdirSync(root()).sort()).toEqual([name, 'own'].sort());
  });

  it.each([
    ['..\\8\\secret', 'The name holds a back-slash'],
    ['a\0b', 'The name holds a control character'],
    ['a\nb', 'The name holds a control character'],
    ['n'.repeat(300), 'The name holds a name longer than 255 bytes'],
    ['é'.repeat(200), 'The name holds a name longer than 255 bytes'],
    ['a/'.repeat(2000), 'The name is longer than 1024 bytes'],
  ])('%j is refused in words', async (name, message) => {
    await wire(async (sftp) => {
      expect(await errorOf((done) => sftp.open(name, 'w', done))).toBe(message);
      expect(await errorOf((done) => sftp.realpath(name, done))).toBe(message);
    });
  });
});

describe('links that a process of this machine has planted', () => {
  const links: readonly [string, () => void][] = [
    ['to a file outside', () => symlinkSync(join(other(), 'secret'), join(root(), 'link'))],
    ['to a file outside, relative', () => symlinkSync('../8/secret', join(root(), 'link'))],
    ['to a directory outside', () => symlinkSync(other(), join(root(), 'link'))],
    ['to the directory above', () => symlinkSync('..', join(root(), 'link'))],
    ['to nothing yet', () => symlinkSync(join(other(), 'new'), join(root(), 'link'))],
    ['to itself', () => symlinkSync('link', join(root(), 'link'))],
    ['to a file of the site itself', () => symlinkSync('own', join(root(), 'link'))],
    [
      'over another link',
      () => {
        symlinkSync(join(other(), 'secret'), join(root(), 'first'));
        symlinkSync('first', join(root(), 'link'));
      },
    ],
    ['hard, to a file outside', () => linkSync(join(other(), 'secret'), join(root(), 'link'))],
    ['to a device', () => symlinkSync('/dev/zero', join(root(), 'link'))],
  ];

  it.each(links)('%s: nothing goes through it', async (_, plant) => {
    plant();
    before = outside();
    const asked = await wire((sftp) => askAll(sftp, 'link'));
    // A link may be renamed and removed as what it is; nothing else is done to it, and nothing through it.
    for (const what of Object.keys(asked).filter((one) => !/rename from|remove/.test(one)))
      expect([what, asked[what]]).toEqual([what, expect.any(String)]);
    expect(outside()).toBe(before);
    expect(readFileSync(join(other(), 'secret'), 'utf8')).toBe('of another site');
  });

  it('in the middle of a name: nothing goes through it', async () => {
    symlinkSync(other(), join(root(), 'dir'));
    const asked = await wire((sftp) => askAll(sftp, 'dir/secret'));
    expect(new Set(Object.values(asked)).has(undefined)).toBe(false);
    expect(outside()).toBe(before);
  });

  it('are not shown', async () => {
    for (const [i, [, plant]] of links.entries()) {
      rmSync(join(root(), 'first'), { force: true });
      plant();
      execFileSync('mv', [join(root(), 'link'), join(root(), `link${i}`)]);
    }
    const names = await wire(
      (sftp) =>
        new Promise<string[]>((resolve, reject) =>
          sftp.readdir('/', (error, list) =>
            error ? reject(error) : resolve(list.map((one) => one.filename)),
          ),
        ),
    );
    expect(names).toEqual(['own']);
  });

  it('one that replaces a directory in use leads nowhere', async () => {
    mkdirSync(join(root(), 'dir'));
    await wire(async (sftp) => {
      expect(await errorOf((done) => sftp.open('dir/a', 'w', done))).toBeUndefined();
      rmSync(join(root(), 'dir'), { recursive: true });
      symlinkSync(other(), join(root(), 'dir'));
      expect(await errorOf((done) => sftp.open('dir/secret', 'r', done))).toBe('A link is in the way');
      expect(await errorOf((done) => sftp.open('dir/b', 'w', done))).toBe('A link is in the way');
    });
    expect(outside()).toBe(before);
  });
});

describe('requests that make links or change owners', () => {
  it('are refused or do nothing', async () => {
    await wire(async (sftp) => {
      // As a client that does not care what the server has offered.
      const offers = ['hardlink', 'posix-rename', 'fsync', 'statvfs', 'lsetstat', 'expand-path', 'copy-data'];
      Object.assign(sftp, {
        _extensions: Object.fromEntries(
          offers.map((name) => [`${name}@openssh.com`, name === 'statvfs' ? '2' : '1']),
        ),
      });
      for (const call of [
        (done: (error?: Error | null) => void) => sftp.ext_openssh_hardlink('own', 'second', done),
        (done: (error?: Error | null) => void) => sftp.ext_openssh_rename('own', '../8/own', done),
        (done: (error?: Error | null) => void) => sftp.ext_openssh_statvfs('/', done),
      ])
        expect(await errorOf(call)).toMatch(/unsupported/i);
      expect(await errorOf((done) => sftp.chmod('own', 0o4777, done))).toBeUndefined();
      expect(await errorOf((done) => sftp.chown('own', 0, 0, done))).toBeUndefined();
    });
    expect(readdirSync(root())).toEqual(['own']);
    expect(statSync(join(root(), 'own')).mode & 0o7777).not.toBe(0o4777);
    expect(outside()).toBe(before);
  });
});

describeWith('sftp', "with Debian's own client", () => {
  it('nothing of all this gets out either', async () => {
    const work = mkdtempSync(join(tmpdir(), 'facteur-client-'));
    writeFileSync(join(work, 'key'), key.private, { mode: 0o600 });
    writeFileSync(join(work, 'up'), 'planted');
    symlinkSync(join(other(), 'secret'), join(root(), 'link'));
    symlinkSync(other(), join(root(), 'dir'));
    const commands = [
      'get ../8/secret got1',
      'get /../../8/secret got2',
      'get link got3',
      'get dir/secret got4',
      'get -R dir got5',
      'reget link got6',
      'put up ../8/planted',
      'put up dir/planted',
      'put up link',
      'put up ..\\\\8\\\\planted',
      'ln own second',
      'ln -s /etc/passwd third',
      'symlink ../8 fourth',
      'rename own ../8/own',
      'rename own dir/own',
      'mkdir dir/new',
      'rm dir/secret',
      'rmdir dir',
      'chmod 4777 link',
      'chown 0 link',
      'cd dir',
      'cd ../../8',
      'ls -la ..',
      'df',
    ];
    writeFileSync(join(work, 'batch'), `${commands.map((line) => `-${line}`).join('\n')}\nls -la\nbye\n`);
    const options = ['-o', 'StrictHostKeyChecking=no', '-o', `UserKnownHostsFile=${work}/hosts`];
    const args = ['-F', 'none', ...options, '-i', join(work, 'key'), '-P', String(server.port)];
    const { stdout } = await run('sftp', [...args, '-b', join(work, 'batch'), 'demo@127.0.0.1'], {
      cwd: work,
      timeout: 100_000,
    });
    const listed = stdout.split('\n').filter((line) => /^[-d]rw/.test(line));
    expect(listed.map((line) => line.split(' ').at(-1))).toEqual(['own', 'own']);
    expect(
      readdirSync(work).filter((name) => name.startsWith('got') && existsSync(join(work, name))),
    ).toEqual([]);
    expect(outside()).toBe(before);
    rmSync(work, { recursive: true });
  });
});
