import { createHash, randomUUID } from 'node:crypto';
import { PassThrough, type Readable } from 'node:stream';
import SftpClient from 'ssh2-sftp-client';
import { notFound, unavailable } from '../platform/http/refusal.ts';
import { checkedName, directoryOf } from './local-repository.ts';
import type { FileStat, Repository, RepositoryEntry, RepositoryFiles } from './repository.ts';

const connectTimeoutMs = 20_000;

/** SHA-256 of a host key as OpenSSH shows it, in base64 without padding. */
const fingerprint = (key: Buffer) => createHash('sha256').update(key).digest('base64').replace(/=+$/, '');

/** An account on any SFTP server, over one connection. */
export class RemoteRepository implements RepositoryFiles {
  readonly #client: SftpClient;
  readonly #root: string;

  private constructor(client: SftpClient, subfolder: string) {
    this.#client = client;
    const path = subfolder.replace(/^\/+|\/+$/g, '');
    this.#root = path === '' ? '' : `${path}/`;
  }

  /**
   * Connects. `pin` is told the server's key at the first connection, and keeps it; later another key is refused.
   * @throws 503 when the server is away, refuses the login, or shows another key than the pinned one.
   */
  static async open(of: Repository, pin: (hostKey: string) => Promise<void>): Promise<RemoteRepository> {
    const client = new SftpClient();
    // Without a listener an error between two calls would end the process; the next call reports it.
    client.on('error', () => undefined);
    let shown = '';
    try {
      await client.connect({
        host: of.host,
        port: of.port,
        username: of.login,
        password: of.password,
        readyTimeout: connectTimeoutMs,
        hostVerifier: (key: Buffer) => {
          shown = fingerprint(key);
          return of.hostKey === undefined || of.hostKey === shown;
        },
      });
    } catch (error) {
      if (shown !== '' && of.hostKey !== undefined && of.hostKey !== shown) {
        throw unavailable(`The SFTP server ${of.host} shows another key than before`);
      }
      throw unavailable(`The SFTP server ${of.host} cannot be reached: ${(error as Error).message}`);
    }
    if (of.hostKey === undefined) await pin(shown);
    // Nagle's algorithm against delayed acknowledgements makes transfers six times slower.
    (client as unknown as { client?: { setNoDelay(on: boolean): void } }).client?.setNoDelay(true);
    return new RemoteRepository(client, of.subfolder);
  }

  async stat(name: string): Promise<FileStat | undefined> {
    const path = this.#path(name);
    if ((await this.#client.exists(path)) !== '-') return undefined;
    const stats = await this.#client.stat(path);
    return { size: stats.size, modifiedAt: new Date(stats.modifyTime) };
  }

  async read(name: string): Promise<Readable> {
    if (!(await this.stat(name))) throw notFound(`File ${name}`);
    const through = new PassThrough({ highWaterMark: 256 * 1024 });
    this.#client.get(this.#path(name), through).catch((error: Error) => through.destroy(error));
    return through;
  }

  async write(name: string, source: Readable): Promise<void> {
    const path = this.#path(name);
    const folder = directoryOf(path);
    if (folder !== '' && !(await this.#client.exists(folder))) await this.#client.mkdir(folder, true);
    const draft = `${folder}.${randomUUID()}.tmp`;
    try {
      await this.#client.put(source, draft);
      if (await this.#client.exists(path)) await this.#client.delete(path);
      await this.#client.rename(draft, path);
    } catch (error) {
      await this.#client.delete(draft, true).catch(() => undefined);
      throw error;
    }
  }

  async remove(name: string): Promise<boolean> {
    if (!(await this.stat(name))) return false;
    await this.#client.delete(this.#path(name));
    return true;
  }

  async list(directory: string): Promise<RepositoryEntry[]> {
    const path = directory === '' ? this.#root || '.' : this.#path(directory);
    if ((await this.#client.exists(path)) !== 'd') return [];
    const found = await this.#client.list(path);
    return found
      .filter((entry) => entry.type !== 'l')
      .map(({ name, size, modifyTime, type }) => {
        return { name, size, modifiedAt: new Date(modifyTime), isDirectory: type === 'd' };
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  #path(name: string): string {
    return this.#root + checkedName(name);
  }
}
