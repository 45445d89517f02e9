import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileEntryWithStats } from 'ssh2';
import type SftpClient from 'ssh2-sftp-client';
import { notFound } from '../platform/http/refusal.ts';
import { checkedName, directoryOf, tooManyEntries } from './local-repository.ts';
import type { FileStat, RepositoryEntry, RepositoryFiles } from './repository.ts';
import type { SftpConnection } from './sftp-connection.ts';
import { SftpRequests } from './sftp-requests.ts';
import { SftpUpload } from './sftp-upload.ts';

/** An entry as a server lists it; none for a link. The long name begins with the kind, even without a mode. */
function entryOf({
  filename: name,
  longname,
  attrs: { size, mtime },
}: FileEntryWithStats): RepositoryEntry[] {
  if (longname.startsWith('l')) return [];
  return [{ name, size, modifiedAt: new Date(mtime * 1_000), isDirectory: longname.startsWith('d') }];
}

/** An account on any SFTP server, over one connection that has signed in. */
export class RemoteRepository implements RepositoryFiles {
  /** Version 3 of SFTP has times in seconds, and some file systems keep only every other one. */
  readonly settlesMs = 2_100;
  readonly place: string;
  readonly #connection: SftpConnection;
  readonly #client: SftpClient;
  readonly #requests: SftpRequests;
  readonly #root: string;

  constructor(connection: SftpConnection, subfolder: string) {
    this.place = `${subfolder === '' ? 'the folder of the login' : subfolder} on the SFTP server ${connection.host}`;
    this.#connection = connection;
    this.#client = connection.client;
    this.#requests = new SftpRequests(connection);
    this.#root = subfolder === '' || subfolder.endsWith('/') ? subfolder : `${subfolder}/`;
  }

  async stat(name: string): Promise<FileStat | undefined> {
    const stats = (await this.#file(name))?.stats;
    return stats?.isFile ? { size: stats.size, modifiedAt: new Date(stats.modifyTime) } : undefined;
  }

  async read(name: string): Promise<Readable> {
    const file = await this.#file(name);
    if (!file?.stats.isFile) throw notFound(`File ${name}`);
    return this.#requests.download(file.path);
  }

  async write(name: string, source: Readable, draftName?: string): Promise<void> {
    const path = this.#path(name);
    const folder = directoryOf(path);
    const draft = draftName === undefined ? `${folder}.${randomUUID()}.tmp` : this.#path(draftName);
    await this.#makeFolder(folder).catch((error) => {
      source.destroy();
      throw error;
    });
    const upload = new SftpUpload(this.#connection, draft);
    // Each of the two ends with the other's error: what the source failed by is not the server's.
    let isOurs = false;
    upload.once('error', () => {
      isOurs = !source.errored;
    });
    try {
      await pipeline(source, upload).catch((error) => {
        throw isOurs ? this.#requests.marked(error) : error;
      });
      await this.#asked(() => this.#rename(draft, path));
    } catch (error) {
      source.destroy();
      // The file may still be about to be made.
      if (!upload.closed) await new Promise((resolve) => upload.once('close', resolve));
      await this.#client.delete(draft, true).catch(() => undefined);
      throw error;
    }
  }

  async #makeFolder(folder: string): Promise<void> {
    this.#requests.checkOpen();
    await this.#asked(async () => {
      if (folder !== '' && !(await this.#client.exists(folder))) await this.#client.mkdir(folder, true);
    });
  }

  /** Renames over what has the name: in one step where the server can (OpenSSH's extension). */
  async #rename(from: string, to: string): Promise<void> {
    try {
      await this.#client.posixRename(from, to);
      return;
    } catch (error) {
      if (!/does not support/.test((error as Error).message)) throw error;
    }
    // Another process may have removed the temporary file; then the existing file stays.
    if (!(await this.#client.exists(from))) throw new Error('The temporary file no longer exists');
    if (await this.#client.exists(to)) await this.#client.delete(to);
    await this.#client.rename(from, to);
  }

  async remove(name: string): Promise<boolean> {
    const file = await this.#file(name);
    if (!file?.stats.isFile) return false;
    await this.#asked(() => this.#client.delete(file.path));
    return true;
  }

  async list(
    directory: string,
    most = Number.POSITIVE_INFINITY,
    signal?: AbortSignal,
  ): Promise<RepositoryEntry[]> {
    const path = directory === '' ? this.#root || '.' : this.#path(directory);
    // What a link leads to, as with files: links of an external server are its owner's.
    if (!(await this.#found(path))?.isDirectory) return [];
    const entries: RepositoryEntry[] = [];
    let looked = 0;
    for await (const piece of this.#requests.directory(path)) {
      signal?.throwIfAborted();
      looked += piece.length;
      if (looked > most) throw tooManyEntries(most);
      entries.push(...piece.flatMap(entryOf));
    }
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async close(): Promise<void> {
    await this.#connection.end();
  }

  /** Where a name is found: as it is given, with composed accents, or with decomposed ones, which Macs write. */
  async #file(name: string): Promise<{ path: string; stats: SftpClient.FileStats } | undefined> {
    for (const form of new Set([name, name.normalize('NFC'), name.normalize('NFD')])) {
      const path = this.#path(form);
      const stats = await this.#found(path);
      if (stats) return { path, stats };
    }
    return undefined;
  }

  async #found(path: string): Promise<SftpClient.FileStats | undefined> {
    return this.#asked(() =>
      this.#client.stat(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      }),
    );
  }

  /** @throws SftpLost when the connection breaks. */
  async #asked<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#requests.marked(error);
    }
  }

  #path(name: string): string {
    return this.#root + checkedName(name);
  }
}
