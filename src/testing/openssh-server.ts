import { type ChildProcess, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fingerprintOf, parsePublicKey } from '../platform/ssh-key.ts';
import { startDaemon } from './daemon.ts';
import { freePort } from './free-port.ts';
import { childrenOf, kill } from './programs.ts';

const kinds = ['ed25519', 'ecdsa', 'rsa'] as const;
export type KeyKind = (typeof kinds)[number];

/**
 * Debian's OpenSSH server on a free port of loopback, with a configuration, host keys and an account's key of its
 * own, as anyone who runs the tests: it lets that user in by key, into `folder`. (Passwords would need root and a
 * change of the machine's own accounts.)
 */
export class OpenSshServer {
  readonly #base = mkdtempSync(join(tmpdir(), 'facteur-sshd-'));
  readonly folder = join(this.#base, 'files');
  readonly login = userInfo().username;
  readonly privateKey: string;
  #sshd: ChildProcess | undefined;
  port = 0;

  private constructor() {
    mkdirSync(this.folder);
    for (const name of [...kinds, 'login'] as const) this.newKey(name);
    this.privateKey = readFileSync(join(this.#base, 'login'), 'utf8');
  }

  /** With host keys of these kinds. */
  static async start(of: readonly KeyKind[] = kinds): Promise<OpenSshServer> {
    const server = new OpenSshServer();
    server.port = await freePort();
    await server.run(of);
    return server;
  }

  get access() {
    return { host: '127.0.0.1', port: this.port, login: this.login, privateKey: this.privateKey };
  }

  hostKey(kind: KeyKind): string {
    return readFileSync(join(this.#base, `${kind}.pub`), 'utf8');
  }

  fingerprint(kind: KeyKind): string {
    return fingerprintOf(parsePublicKey(this.hostKey(kind))!);
  }

  /** Makes a key, a host's one or `login`, in place of the one there was. */
  newKey(name: KeyKind | 'login'): void {
    const path = join(this.#base, name);
    rmSync(path, { force: true });
    const kind = name === 'login' ? 'ed25519' : name;
    execFileSync('ssh-keygen', ['-q', '-t', kind, '-N', '', '-C', 'test', '-f', path], { stdio: 'ignore' });
  }

  async run(of: readonly KeyKind[]): Promise<void> {
    const config = join(this.#base, 'sshd_config');
    const lines = [
      `Port ${this.port}`,
      'ListenAddress 127.0.0.1',
      ...of.map((kind) => `HostKey ${join(this.#base, kind)}`),
      `PidFile ${join(this.#base, 'pid')}`,
      `AuthorizedKeysFile ${join(this.#base, 'login.pub')}`,
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      'Subsystem sftp internal-sftp',
      `ForceCommand internal-sftp -d ${this.folder}`,
    ];
    writeFileSync(config, `${lines.join('\n')}\n`);
    // Only root's server looks for it; it is made by the package's start script, which does not run here.
    if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    // sshd wants its whole path, because it starts itself again for each connection.
    this.#sshd = await startDaemon(this.port, '/usr/sbin/sshd', ['-D', '-e', '-f', config]);
  }

  async stop(): Promise<void> {
    if (this.#sshd) await kill(this.#sshd, 'SIGTERM');
  }

  /** Kills the processes that serve connections. */
  cutOff(): void {
    for (const pid of childrenOf(this.#sshd!.pid!)) process.kill(pid, 'SIGKILL');
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.#base, { recursive: true, force: true });
  }
}
