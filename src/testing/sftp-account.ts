import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { newSshKey } from '../files/host-key.ts';
import { type SftpServer, type SftpServerOptions, startSftpServer } from '../files/sftp-server.ts';

/** The embedded SFTP server with one account, `demo`, which a key and a password open; and a folder for its clients. */
export class SftpAccount {
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
