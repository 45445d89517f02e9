import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import ssh2, { type AuthContext, type Connection, type MacAlgorithm, type PublicKeyAuthContext } from 'ssh2';
import type { LoginProof } from '../accounts/sftp-login.ts';
import { AddressLimit, addTo } from '../platform/address-limit.ts';
import { networkOf } from '../platform/network.ts';
import { type NoteRefusal, refusalLog } from '../platform/refusal-log.ts';
import { quotaOf } from './folder-quota.ts';
import { hostKey } from './host-key.ts';
import { LoginBackoff } from './login-backoff.ts';
import { OpenUploads, openUploadsBeside } from './open-uploads.ts';
import { type MemoryLimits, SftpLine, SftpMemory, usualMemory } from './sftp-memory.ts';
import { serveSftp } from './sftp-session.ts';
import { SiteFolder } from './site-folder.ts';

/** Returns the site's id for a login and proof, if they fit. Possession of the private key is verified here. */
export type Authenticate = (login: string, proof: LoginProof) => Promise<number | undefined>;

export interface SftpServerOptions {
  readonly port: number;
  /** Files of a site live in `<dataDir>/sftp/<idsite>`, the host key in `<dataDir>/sftp-host-key`. */
  readonly dataDir: string;
  readonly authenticate: Authenticate;
  readonly log: Logger;
  /** Bytes that the files of one site may take; 0, the default, is no limit. */
  readonly quotaBytes?: number;
  /** Other limits than the usual ones: for tests. */
  readonly memory?: Partial<MemoryLimits>;
  readonly loginTimeoutMs?: number;
  /** Failed attempts; none by default. For tests. */
  readonly backoff?: LoginBackoff;
}

export interface SftpServer {
  readonly port: number;
  /** Bytes that are held for clients: now, and at most since the start. */
  readonly held: SftpMemory['held'];
  close(): Promise<void>;
}

const maxConnections = 256;
const maxConnectionsPerSite = 32;
const maxConnectionsPerAddress = 64;
/** From connecting to a valid login; the back-off's longest wait must fit. */
const loginTimeoutMs = 60_000;
const maxTriesPerConnection = 6;
const maxSessions = 8;
/** How long a client may take to close its side, once we have closed ours. */
const endMs = 2_000;

/** Algorithms that ssh2 offers by default and that auditors reject. */
const weakHmacs: MacAlgorithm[] = ['hmac-sha1', 'hmac-sha1-etm@openssh.com'];

/** Where the files of a site are on this machine. */
export const siteFolderPath = (dataDir: string, idSite: number) => join(dataDir, 'sftp', String(idSite));

/** Starts the embedded SFTP server: one account per site, confined to its folder; no shell, command or forwarding. */
export async function startSftpServer(options: SftpServerOptions): Promise<SftpServer> {
  const admission = new Admission(options);
  const ssh = new ssh2.Server(
    {
      hostKeys: [hostKey(options.dataDir)],
      ident: 'Facteur',
      algorithms: { hmac: { remove: weakHmacs, append: [], prepend: [] } },
    },
    (connection) => admission.enter(connection),
  );
  // Our own listener, because ssh2 reports a client only after it has identified itself, which it may never do. Without
  // noDelay, Nagle's algorithm waits for delayed acknowledgements: 19 MB/s instead of 127.
  const server = createServer({ noDelay: true }, (socket) => {
    if (admission.admits(socket)) ssh.injectSocket(socket);
  });
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, () => {
      server.off('error', reject);
      resolve();
    });
  });
  // Not earlier: the caller of `start` reports that it cannot listen.
  server.on('error', (error: Error) => options.log.error({ err: error }, 'SFTP server'));
  return {
    // A TCP listener has an object as its address.
    port: (server.address() as AddressInfo).port,
    get held() {
      return admission.memory.held;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        admission.closeAll();
      }),
  };
}

/** The open connections, and the rules for new ones. */
class Admission {
  readonly memory: SftpMemory;
  readonly #options: SftpServerOptions;
  readonly #note: NoteRefusal;
  readonly #backoff: LoginBackoff;
  readonly #uploads: OpenUploads;
  /** Clients that have not signed in, with the end of their time. */
  readonly #strangers = new Map<Socket, NodeJS.Timeout>();
  readonly #connections = new Set<Connection>();
  readonly #addresses = new AddressLimit(maxConnectionsPerAddress);
  readonly #perSite = new Map<number, number>();

  constructor(options: SftpServerOptions) {
    this.#options = options;
    this.#note = refusalLog(options.log);
    this.#backoff = options.backoff ?? new LoginBackoff();
    this.#uploads = new OpenUploads(openUploadsBeside(siteFolderPath(options.dataDir, 0)));
    this.memory = new SftpMemory({ ...usualMemory, ...options.memory });
  }

  /** Whether a client that has just come may stay. */
  admits(socket: Socket): boolean {
    if (!this.#addresses.admits(socket)) {
      this.#note('too many SFTP connections', String(socket.remoteAddress));
      socket.destroy();
      return false;
    }
    const timer = setTimeout(() => socket.destroy(), this.#options.loginTimeoutMs ?? loginTimeoutMs);
    this.#strangers.set(socket, timer);
    socket.once('close', () => this.#knows(socket));
    return true;
  }

  enter(connection: Connection): void {
    const { log } = this.#options;
    const socket = socketOf(connection);
    const address = networkOf(String(socket.remoteAddress));
    this.#connections.add(connection);
    const login: LoginState = { address, tries: 0, idSite: undefined, folder: undefined };
    connection.on('authentication', (context) => {
      this.#authenticate(context, login, connection).catch((error: unknown) => {
        log.error({ err: error }, 'SFTP login failed');
        context.reject();
      });
    });
    connection.on('ready', () => {
      this.#knows(socket);
      this.#serve(connection, login);
    });
    connection.on('error', (error: Error) => log.debug({ err: error.message, address }, 'SFTP connection'));
    connection.on('close', () => {
      this.#connections.delete(connection);
      if (login.idSite !== undefined) addTo(this.#perSite, login.idSite, -1);
    });
  }

  closeAll(): void {
    this.memory.close();
    this.#uploads.close();
    for (const socket of this.#strangers.keys()) socket.destroy();
    for (const connection of this.#connections) end(connection);
  }

  /** It has signed in, or no longer exists: its time no longer runs. */
  #knows(socket: Socket): void {
    clearTimeout(this.#strangers.get(socket));
    this.#strangers.delete(socket);
  }

  async #authenticate(context: AuthContext, login: LoginState, connection: Connection): Promise<void> {
    if (context.method !== 'password' && context.method !== 'publickey') {
      return context.reject(['password', 'publickey']);
    }
    if (++login.tries > maxTriesPerConnection) return void end(connection);
    // Nobody guesses a key, and an agent offers its keys one by one before the right one: only passwords wait.
    if (context.method === 'password') {
      const waitMs = this.#backoff.begin(login.address, context.username, Date.now());
      // A wait that is left when the server is closed must not keep the process.
      await delay(waitMs, undefined, { ref: false });
    }
    const idSite = await this.#siteOf(context);
    if (idSite === undefined) {
      if (context.method === 'password') this.#note('wrong SFTP sign-in', login.address);
      return context.reject(['password', 'publickey']);
    }
    // An unsigned offer of a key asks only whether the key would do.
    if (context.method === 'publickey' && !context.signature) return context.accept();
    if (context.method === 'password') this.#backoff.succeeded(login.address, context.username);
    const path = siteFolderPath(this.#options.dataDir, idSite);
    login.folder = await SiteFolder.open(path, quotaOf(path, this.#options.quotaBytes ?? 0));
    if (!this.#connections.has(connection)) return;
    // Counted where it is looked at: others may have come in while the disk was asked.
    if ((this.#perSite.get(idSite) ?? 0) >= maxConnectionsPerSite) return void end(connection);
    login.idSite = idSite;
    addTo(this.#perSite, idSite, 1);
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

  #serve(connection: Connection, { folder, idSite }: LoginState): void {
    if (!folder || idSite === undefined) return void end(connection);
    const { log } = this.#options;
    const line = new SftpLine(this.memory, idSite, socketOf(connection), (why) => {
      log.warn({ why, idSite }, 'SFTP connection cut off');
      end(connection);
    });
    connection.on('close', () => line.close());
    let sessions = 0;
    connection.on('session', (accept, reject) => {
      // A place is free again when its SFTP has ended: of a session without one, ssh2 keeps the channel.
      if (sessions >= maxSessions) return reject();
      sessions++;
      // Without listeners for shell, exec, subsystems other than sftp, and forwarding, ssh2 refuses them all. Accepted
      // immediately: OpenSSH's client sends its first request right behind, and ssh2 would drop it.
      accept().on('sftp', (acceptSftp) => {
        const sftp = acceptSftp();
        sftp.once('close', () => sessions--);
        serveSftp(sftp, { folder, uploads: this.#uploads, line, log });
      });
    });
  }
}

/** The types leave it out. */
const socketOf = (connection: Connection) => (connection as unknown as { _sock: Socket })._sock;

/** Ends a connection, whether the client reads, closes its side, or not. */
function end(connection: Connection): void {
  connection.end();
  const socket = socketOf(connection);
  const timer = setTimeout(() => socket.destroy(), endMs);
  socket.once('close', () => clearTimeout(timer));
}

interface LoginState {
  readonly address: string;
  tries: number;
  idSite: number | undefined;
  folder: SiteFolder | undefined;
}

function signatureHolds(context: PublicKeyAuthContext): boolean {
  const key = ssh2.utils.parseKey(context.key.data);
  if (key instanceof Error) return false;
  if (!context.signature || !context.blob) return true;
  // The third argument (the hash of an RSA signature) is missing in the types.
  const verify = key.verify.bind(key) as (data: Buffer, signature: Buffer, hash?: string) => boolean | Error;
  return verify(context.blob, context.signature, (context as { hashAlgo?: string }).hashAlgo) === true;
}
