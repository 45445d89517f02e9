import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import ssh2 from 'ssh2';
import { newSshKey } from '../files/host-key.ts';
import { startSftpServer } from '../files/sftp-server.ts';
import { fingerprintOf, keyOfBlob, lineOf, type SshPublicKey } from '../platform/ssh-key.ts';
import { freePort } from './free-port.ts';

/** An SFTP server of another caller's, on loopback: login `us` with the password `secret` or with `privateKey`. */
export class SftpElsewhere {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'facteur-elsewhere-'));
  readonly #pair = newSshKey();
  readonly #log: Logger = pino({ level: 'silent' });
  #server: { readonly port: number; close(): Promise<void> } | undefined;
  /** Passwords that clients have sent. */
  readonly told: string[] = [];
  /** Done once, while the next client that signs in waits for its answer. */
  meanwhile: (() => Promise<unknown>) | undefined;

  static async start(): Promise<SftpElsewhere> {
    const elsewhere = new SftpElsewhere();
    await elsewhere.open(await freePort());
    return elsewhere;
  }

  get privateKey(): string {
    return this.#pair.private;
  }

  get port(): number {
    return this.#server!.port;
  }

  /** Where the account's files are on the disk. */
  get folder(): string {
    return join(this.dataDir, 'sftp', '1');
  }

  get #key(): SshPublicKey {
    const parsed = ssh2.utils.parseKey(readFileSync(join(this.dataDir, 'sftp-host-key'), 'utf8'));
    return keyOfBlob((parsed as ssh2.ParsedKey).getPublicSSH());
  }

  get hostKey(): string {
    return lineOf(this.#key);
  }

  get fingerprint(): string {
    return fingerprintOf(this.#key);
  }

  /** The properties with which an administrator registers it. */
  get access() {
    return { host: '127.0.0.1', port: this.port, login: 'us', password: 'secret' };
  }

  /** Makes a subfolder; returns the properties of a repository on it. */
  at(subfolder: string) {
    mkdirSync(join(this.folder, subfolder), { recursive: true });
    return { ...this.access, subfolder };
  }

  /** Restarts the server with another host key, on the same port. */
  async changeKey(): Promise<void> {
    await this.#server!.close();
    rmSync(join(this.dataDir, 'sftp-host-key'));
    await this.open(this.port);
  }

  async open(port: number): Promise<void> {
    const own = Buffer.from(this.#pair.public.split(' ')[1]!, 'base64');
    this.#server = await startSftpServer({
      port,
      dataDir: this.dataDir,
      log: this.#log,
      authenticate: async (login, proof) => {
        const { meanwhile } = this;
        this.meanwhile = undefined;
        await meanwhile?.();
        if (proof.kind === 'password') this.told.push(proof.password);
        const fits = proof.kind === 'password' ? proof.password === 'secret' : proof.key.equals(own);
        return login === 'us' && fits ? 1 : undefined;
      },
    });
  }

  /** Ends it; its port answers nobody then. */
  async stop(): Promise<void> {
    await this.#server?.close();
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.dataDir, { recursive: true });
  }
}
