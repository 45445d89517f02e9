import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import ssh2, { type AuthContext, type Connection, type PublicKeyAuthContext } from 'ssh2';
import { quotaOf } from './folder-quota.ts';
import { hostKey } from './host-key.ts';
import { LoginBackoff } from './login-backoff.ts';
import { serveSftp } from './sftp-session.ts';
import { SiteFolder } from './site-folder.ts';

/** What a client proves itself with: a password, or the possession of a key (already verified here). */
export type LoginProof =
  | { readonly kind: 'password'; readonly password: string }
  | { readonly kind: 'key'; readonly key: Buffer };

/** The id of the site whose account this is, or undefined when login and proof do not fit. */
export type Authenticate = (login: string, proof: LoginProof) => Promise<number | undefined>;

export interface SftpServerOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** Files of a site live in `<dataDir>/sftp/<idsite>`, the host key in `<dataDir>/sftp-host-key`. */
  readonly dataDir: string;
  readonly authenticate: Authenticate;
  readonly log: Logger;
  /** Bytes that the files of one site may take; 0, the default, is no limit. */
  readonly quotaBytes?: number;
}

export interface SftpServer {
  readonly port: number;
  /** Stops listening and ends every session. */
  close(): Promise<void>;
}

const maxConnections = 256;
const maxConnectionsPerSite = 32;
const maxConnectionsPerAddress = 64;
/** From connecting to a valid login; the back-off's longest wait must fit. */
const loginTimeoutMs = 60_000;
const maxTriesPerConnection = 6;

/** Where the files of a site are on this machine. */
export const siteFolderPath = (dataDir: string, idSite: number) => join(dataDir, 'sftp', String(idSite));

/**
 * Starts the embedded SFTP server: one account per site, each shut in its own folder. It gives no shell, runs no
 * command and forwards no port.
 */
export async function startSftpServer(options: SftpServerOptions): Promise<SftpServer> {
  const key = await hostKey(join(options.dataDir, 'sftp-host-key'));
  const door = new Door(options);
  const server = new ssh2.Server({ hostKeys: [key], ident: 'Facteur' }, (connection, info) =>
    door.enter(connection, info.ip),
  );
  server.on('error', (error: Error) => options.log.error({ err: error }, 'SFTP server'));
  // ssh2 counts and refuses above this; its types leave the member out.
  (server as unknown as { maxConnections: number }).maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    // A TCP listener has an object as its address.
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        door.closeAll();
      }),
  };
}

/** Who is inside, and how one gets in. */
class Door {
  readonly #options: SftpServerOptions;
  readonly #backoff = new LoginBackoff();
  readonly #connections = new Set<Connection>();
  readonly #perAddress = new Map<string, number>();
  readonly #perSite = new Map<number, number>();

  constructor(options: SftpServerOptions) {
    this.#options = options;
  }

  enter(connection: Connection, address: string): void {
    const { log } = this.#options;
    if ((this.#perAddress.get(address) ?? 0) >= maxConnectionsPerAddress) return void connection.end();
    count(this.#perAddress, address, 1);
    this.#connections.add(connection);
    // Nagle's algorithm against delayed acknowledgements: 19 MB/s instead of 127 without this.
    (connection as unknown as { setNoDelay(on: boolean): void }).setNoDelay(true);
    const login: LoginState = { address, tries: 0, idSite: undefined, folder: undefined };
    const timer = setTimeout(() => connection.end(), loginTimeoutMs);
    connection.on('authentication', (context) => {
      this.#authenticate(context, login, connection).catch((error: unknown) => {
        log.error({ err: error }, 'SFTP login failed');
        context.reject();
      });
    });
    connection.on('ready', () => {
      clearTimeout(timer);
      this.#serve(connection, login);
    });
    connection.on('error', (error: Error) => log.debug({ err: error.message, address }, 'SFTP connection'));
    connection.on('close', () => {
      clearTimeout(timer);
      this.#connections.delete(connection);
      count(this.#perAddress, address, -1);
      if (login.idSite !== undefined) count(this.#perSite, login.idSite, -1);
    });
  }

  closeAll(): void {
    for (const connection of this.#connections) connection.end();
  }

  async #authenticate(context: AuthContext, login: LoginState, connection: Connection): Promise<void> {
    if (context.method !== 'password' && context.method !== 'publickey') {
      return context.reject(['password', 'publickey']);
    }
    if (++login.tries > maxTriesPerConnection) return void connection.end();
    const keys = [`address ${login.address}`, `login ${context.username}`];
    await delay(Math.max(...keys.map((key) => this.#backoff.waitMs(key, Date.now()))));
    const idSite = await this.#siteOf(context);
    if (idSite === undefined) {
      // An agent offers its keys one by one before the right one; only passwords count as guesses.
      if (context.method === 'password') for (const key of keys) this.#backoff.failed(key, Date.now());
      return context.reject(['password', 'publickey']);
    }
    if ((this.#perSite.get(idSite) ?? 0) >= maxConnectionsPerSite) return void connection.end();
    // An unsigned offer of a key asks only whether the key would do.
    if (context.method === 'publickey' && !context.signature) return context.accept();
    for (const key of keys) this.#backoff.succeeded(key);
    const path = siteFolderPath(this.#options.dataDir, idSite);
    login.folder = await SiteFolder.open(path, quotaOf(path, this.#options.quotaBytes ?? 0));
    if (!this.#connections.has(connection)) return;
    login.idSite = idSite;
    count(this.#perSite, idSite, 1);
    context.accept();
  }

  async #siteOf(context: AuthContext): Promise<number | undefined> {
    const { authenticate } = this.#options;
    if (context.method === 'password') {
      return authenticate(context.username, { kind: 'password', password: context.password });
    }
    if (context.method !== 'publickey' || !signatureHolds(context)) return undefined;
    return authenticate(context.username, { kind: 'key', key: context.key.data });
  }

  #serve(connection: Connection, { folder }: LoginState): void {
    if (!folder) return void connection.end();
    connection.on('session', (accept) => {
      // Without listeners for shell, exec, subsystems other than sftp, and forwarding, ssh2 refuses them all.
      // Accepted at once: OpenSSH's client sends its first request right behind and ssh2 would drop it.
      accept().on('sftp', (acceptSftp) => serveSftp(acceptSftp(), folder, this.#options.log));
    });
  }
}

interface LoginState {
  readonly address: string;
  tries: number;
  idSite: number | undefined;
  folder: SiteFolder | undefined;
}

function count<K>(counts: Map<K, number>, key: K, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now > 0) counts.set(key, now);
  else counts.delete(key);
}

function signatureHolds(context: PublicKeyAuthContext): boolean {
  const key = ssh2.utils.parseKey(context.key.data);
  if (key instanceof Error) return false;
  if (!context.signature || !context.blob) return true;
  // The third argument (the hash of an RSA signature) is missing in the types.
  const verify = key.verify.bind(key) as (data: Buffer, signature: Buffer, hash?: string) => boolean | Error;
  return verify(context.blob, context.signature, (context as { hashAlgo?: string }).hashAlgo) === true;
}
