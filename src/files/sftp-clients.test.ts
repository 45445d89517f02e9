import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import pino from 'pino';
import ssh2, { type SFTPWrapper } from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWith } from '../testing/daemon.ts';
import { withWire } from '../testing/sftp-wire.ts';
import { newSshKey } from './host-key.ts';
import { LocalRepository } from './local-repository.ts';
import { type SftpServer, type SftpServerOptions, startSftpServer } from './sftp-server.ts';

/** The embedded SFTP server with one account, `demo`, which a key and a password open; and a folder for its clients. */
class SftpAccount {
  readonly #base: string;
  readonly server: SftpServer;
  readonly password = 'demo secret';

  private constructor(base: string, server: SftpServer) {
    this.#base = base;
    this.server = server;
    for (const folder of [this.folder, this.work]) mkdirSync(folder, { recursive: true });
  }

  static async start(more: Partial<SftpServerOptions> = {}): Promise<SftpAccount> {
    const base = mkdtempSync(join(tmpdir(), 'facteur-account-'));
    const key = newSshKey();
    writeFileSync(join(base, 'key'), key.private, { mode: 0o600 });
    const shownKey = Buffer.from(key.public.split(' ')[1]!, 'base64');
    const server = await startSftpServer({
      port: 0,
      dataDir: base,
      log: pino({ level: 'silent' }),
      authenticate: async (login, proof) => {
        const fits =
          proof.kind === 'password' ? proof.password === 'demo secret' : proof.key.equals(shownKey);
        return login === 'demo' && fits ? 7 : undefined;
      },
      ...more,
    });
    return new SftpAccount(base, server);
  }

  /** The account's folder on disk. */
  get folder(): string {
    return join(this.#base, 'sftp', '7');
  }

  /** Where clients run. */
  get work(): string {
    return join(this.#base, 'work');
  }

  get keyFile(): string {
    return join(this.#base, 'key');
  }

  /** Options of OpenSSH's programs: they sign in with the key and take any host key. */
  get sshOptions(): string[] {
    const options = ['StrictHostKeyChecking=no', `UserKnownHostsFile=${this.#base}/hosts`, 'LogLevel=ERROR'];
    return ['-F', 'none', '-i', this.keyFile, ...options.flatMap((option) => ['-o', option])];
  }

  async close(): Promise<void> {
    await this.server.close();
    rmSync(this.#base, { recursive: true, force: true });
  }
}

const run = promisify(execFile);
const bytes = 24 * 1024 ** 2;
const content = randomBytes(bytes);
const partBytes = 7_777_777;
const longAgo = new Date('2020-02-02T02:02:02Z');

let account: SftpAccount;
beforeAll(async () => {
  account = await SftpAccount.start();
  writeFileSync(join(account.work, 'all.bin'), content);
  utimesSync(join(account.work, 'all.bin'), longAgo, longAgo);
});
afterAll(() => account.close());

const remote = (name: string) => join(account.folder, name);
const local = (name: string) => join(account.work, name);
const port = () => String(account.server.port);

/** Not toEqual, which would print 24 MB. */
function expectWhole(path: string): void {
  const found = readFileSync(path);
  expect(found.length).toBe(bytes);
  expect(found.equals(content)).toBe(true);
}

/** Runs a client in its folder; fails if it does not end with 0. */
const client = (program: string, args: readonly string[]) =>
  run(program, args, { cwd: account.work, timeout: 100_000 });

describeWith('sftp', "OpenSSH's sftp and scp with 24 MB", () => {
  const sftp = async (command: string) => {
    writeFileSync(local('batch'), `${command}\n`);
    return client('sftp', [...account.sshOptions, '-P', port(), '-b', 'batch', 'demo@127.0.0.1']);
  };
  const scp = (from: string, to: string) =>
    client('scp', [...account.sshOptions, '-p', '-P', port(), from, to]);

  for (const round of [1, 2, 3]) {
    it(`put and get give the same bytes (${round})`, async () => {
      await sftp(`put all.bin put${round}.bin`);
      expectWhole(remote(`put${round}.bin`));
      await sftp(`get put${round}.bin got${round}.bin`);
      expectWhole(local(`got${round}.bin`));
    });

    it(`reput and reget resume where a transfer ended (${round})`, async () => {
      writeFileSync(remote(`half${round}.bin`), content.subarray(0, partBytes));
      await sftp(`reput all.bin half${round}.bin`);
      expectWhole(remote(`half${round}.bin`));
      writeFileSync(local(`back${round}.bin`), content.subarray(0, partBytes));
      await sftp(`reget half${round}.bin back${round}.bin`);
      expectWhole(local(`back${round}.bin`));
    });

    it(`scp ends with 0 in both directions, and keeps the time (${round})`, async () => {
      await scp('all.bin', `demo@127.0.0.1:scp${round}.bin`);
      expectWhole(remote(`scp${round}.bin`));
      expect(statSync(remote(`scp${round}.bin`)).mtime).toEqual(longAgo);
      await scp(`demo@127.0.0.1:scp${round}.bin`, `copied${round}.bin`);
      expectWhole(local(`copied${round}.bin`));
    });
  }

  it('the old protocol of scp is refused, and nothing is written', async () => {
    const args = [...account.sshOptions, '-O', '-P', port(), 'all.bin', 'demo@127.0.0.1:old.bin'];
    await expect(client('scp', args)).rejects.toMatchObject({ code: 1 });
    expect(statSync(remote('old.bin'), { throwIfNoEntry: false })).toBeUndefined();
  });
});

describeWith('sftp', 'a client that knows old algorithms only', () => {
  const list = (macs: string) => {
    writeFileSync(local('batch'), 'ls\n');
    // If an option is given twice, the first counts.
    const options = ['LogLevel=INFO', 'Ciphers=aes128-ctr', `MACs=${macs}`].flatMap((option) => [
      '-o',
      option,
    ]);
    return client('sftp', [...options, ...account.sshOptions, '-P', port(), '-b', 'batch', 'demo@127.0.0.1']);
  };

  it('is refused with hmac-sha1, and let in with hmac-sha2-256', async () => {
    const refused = { stderr: expect.stringContaining('no matching MAC') };
    await expect(list('hmac-sha1,hmac-sha1-etm@openssh.com')).rejects.toMatchObject(refused);
    await list('hmac-sha2-256');
  });
});

describeWith('rclone', 'rclone with 24 MB', () => {
  const rclone = (...words: string[]) => {
    const server = ['--sftp-host', '127.0.0.1', '--sftp-port', port(), '--sftp-user', 'demo'];
    const key = ['--sftp-key-file', account.keyFile, '--config', '/dev/null'];
    return client('rclone', [...words, ...server, ...key]);
  };

  it('copies in both directions, keeps the time, replaces, and finds nothing to do afterwards', async () => {
    writeFileSync(remote('rclone.bin'), 'an older one');
    await rclone('copyto', 'all.bin', ':sftp:rclone.bin');
    expectWhole(remote('rclone.bin'));
    expect(statSync(remote('rclone.bin')).mtime).toEqual(longAgo);
    await rclone('copyto', ':sftp:rclone.bin', 'from-rclone.bin');
    expectWhole(local('from-rclone.bin'));
    const { stderr } = await rclone('copyto', 'all.bin', ':sftp:rclone.bin', '-v');
    expect(stderr).not.toContain('Copied');
  });
});

describeWith('lftp', 'lftp with 24 MB', () => {
  const lftp = (commands: string) => {
    const ssh = `ssh -a -x ${account.sshOptions.join(' ')}`;
    const settings = `set sftp:connect-program '${ssh}'; set net:max-retries 1; set cmd:fail-exit true`;
    return client('lftp', ['-e', `${settings}; ${commands}; bye`, `sftp://demo:@127.0.0.1:${port()}`]);
  };

  it('puts under a temporary name, resumes and mirrors', async () => {
    await lftp('set xfer:use-temp-file yes; put all.bin -o lftp.bin');
    expectWhole(remote('lftp.bin'));
    writeFileSync(remote('lftp-half.bin'), content.subarray(0, partBytes));
    await lftp('put -c all.bin -o lftp-half.bin');
    expectWhole(remote('lftp-half.bin'));
    writeFileSync(local('from-lftp.bin'), content.subarray(0, partBytes));
    await lftp('get -c lftp.bin -o from-lftp.bin');
    expectWhole(local('from-lftp.bin'));
  });
});

describeWith('sftp', 'a Mac, which decomposes accents', () => {
  const composed = 'été/abonnés.csv'.normalize('NFC');
  const decomposed = composed.normalize('NFD');
  const open = () => LocalRepository.open(account.folder);

  it('uploads a file that is found by its composed name, and finds it by its own', async () => {
    writeFileSync(local('small.csv'), 'x');
    const [folder] = decomposed.split('/');
    writeFileSync(
      local('batch'),
      `mkdir ${folder}\nput small.csv ${decomposed}\nget ${decomposed} back.csv\n`,
    );
    await client('sftp', [...account.sshOptions, '-P', port(), '-b', 'batch', 'demo@127.0.0.1']);
    expect(readFileSync(local('back.csv'), 'utf8')).toBe('x');
    const files = await open();
    expect(await files.stat(composed)).toMatchObject({ size: 1 });
    expect(await files.remove(composed)).toBe(true);
  });

  it('leaves a file on the disk that is found by its composed name', async () => {
    mkdirSync(remote('Noël'.normalize('NFD')));
    writeFileSync(remote('Noël/liste à jour.csv'.normalize('NFD')), 'abc');
    const files = await open();
    const name = 'Noël/liste à jour.csv'.normalize('NFC');
    expect(await files.stat(name)).toMatchObject({ size: 3 });
    await files.write(name, Readable.from(['other']));
    expect(readdirSync(remote('Noël'.normalize('NFD')))).toEqual(['liste à jour.csv'.normalize('NFD')]);
    expect(await files.remove(name)).toBe(true);
  });
});

describe('the habits of WinSCP and FileZilla', () => {
  const { OPEN_MODE: mode } = ssh2.utils.sftp;
  const pieceBytes = 32 * 1024;

  const wire = (work: (sftp: SFTPWrapper) => Promise<void>) =>
    withWire(
      { host: '127.0.0.1', port: account.server.port, username: 'demo', password: account.password },
      work,
    );

  /** Opens, sends all writes without waiting for an answer, and closes. */
  async function upload(sftp: SFTPWrapper, name: string, flags: number, from: number, first = from) {
    const open = promisify((done: (error: Error | undefined, handle?: Buffer) => void) =>
      sftp.open(name, flags, done as never),
    );
    const handle = (await open()) as Buffer;
    const write = promisify(sftp.write).bind(sftp);
    const writes: Promise<unknown>[] = [];
    for (let at = from; at < bytes; at += pieceBytes) {
      const length = Math.min(pieceBytes, bytes - at);
      writes.push(write(handle, content, at, length, at - from + first));
    }
    await Promise.all(writes);
    await promisify(sftp.close).call(sftp, handle);
  }

  it('uploads under a temporary name, sets the time, and renames over the old file', async () => {
    writeFileSync(remote('list.csv'), 'an older one');
    await wire(async (sftp) => {
      await upload(sftp, 'list.csv.filepart', mode.WRITE | mode.CREAT | mode.TRUNC, 0);
      await promisify(sftp.utimes).call(sftp, 'list.csv.filepart', longAgo, longAgo);
      await promisify(sftp.unlink).call(sftp, 'list.csv');
      await promisify(sftp.rename).call(sftp, 'list.csv.filepart', 'list.csv');
    });
    expectWhole(remote('list.csv'));
    expect(statSync(remote('list.csv')).mtime).toEqual(longAgo);
  });

  it.each([
    ['at an offset, without APPEND', mode.WRITE | mode.CREAT, partBytes],
    ['at an offset, with APPEND', mode.WRITE | mode.APPEND, partBytes],
    ['from zero, with APPEND', mode.WRITE | mode.APPEND, 0],
  ])('resumes an upload %s', async (_, flags, first) => {
    writeFileSync(remote('resumed.bin'), content.subarray(0, partBytes));
    await wire((sftp) => upload(sftp, 'resumed.bin', flags, partBytes, first));
    expectWhole(remote('resumed.bin'));
  });
});
