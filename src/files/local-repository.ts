import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { found, invalid, Refusal, refused } from '../platform/http/refusal.ts';
import { fileNameFault } from './file-name.ts';
import { FolderError } from './folder-error.ts';
import { type FolderQuota, quotaOf } from './folder-quota.ts';
import { isBeingUploaded, openUploadsBeside } from './open-uploads.ts';
import type { FileStat, RepositoryEntry, RepositoryFiles } from './repository.ts';
import { SiteFolder } from './site-folder.ts';

/** The site's folder of the embedded SFTP server, read from the disk; the guard is the server's own. */
export class LocalRepository implements RepositoryFiles {
  /** Linux stamps files by its timer, which ticks each 10 ms at the slowest. */
  readonly settlesMs = 25;
  readonly place: string;
  readonly #folder: SiteFolder;
  readonly #uploads: string;

  private constructor(path: string, folder: SiteFolder, uploads: string) {
    // Several hosts may each have such a folder, where they should share one.
    this.place = `sftp/${basename(path)} on the host ${hostname()}`;
    this.#folder = folder;
    this.#uploads = uploads;
  }

  /** @param quota without one there is no limit. */
  static async open(path: string, quota: FolderQuota = quotaOf(path, 0)): Promise<LocalRepository> {
    return new LocalRepository(path, await SiteFolder.open(path, quota), openUploadsBeside(path));
  }

  async stat(name: string): Promise<FileStat | undefined> {
    const stats = await missing(this.#folder.stat(checkedName(name)));
    if (!stats?.isFile()) return undefined;
    if (await isBeingUploaded(this.#uploads, stats.ino)) throw stillUploaded(name);
    return { size: stats.size, modifiedAt: stats.mtime };
  }

  async read(name: string): Promise<Readable> {
    const file = found(await missing(this.#folder.open(checkedName(name), { read: true })), `File ${name}`);
    return file.createReadStream({ highWaterMark: 256 * 1024 });
  }

  async write(name: string, source: Readable, draftName?: string): Promise<void> {
    checkedName(name);
    const draft = checkedName(draftName ?? `${directoryOf(name)}.${randomUUID()}.tmp`);
    const made: string[] = [];
    try {
      await this.#folder.makeParents(name, made);
      const file = await this.#folder.open(draft, { write: true, create: true, exclusive: true });
      const measured = (chunks: AsyncIterable<Buffer | string>) => withinQuota(chunks, this.#folder.quota);
      await pipeline(source, measured, file.createWriteStream({ flush: true }));
      await this.#folder.rename(draft, name, true);
    } catch (error) {
      source.destroy();
      await this.#folder.removeFile(draft).catch(() => undefined);
      // A folder that another file was written to in the meantime stays.
      for (const folder of made.toReversed())
        await this.#folder.removeDirectory(folder).catch(() => undefined);
      if (error instanceof FolderError && error.code === 'quota') throw refused(error.message);
      throw error;
    }
  }

  async remove(name: string): Promise<boolean> {
    await this.stat(name);
    return missing(this.#folder.removeFile(checkedName(name)).then(() => true)).then(Boolean);
  }

  async list(
    directory: string,
    most = Number.POSITIVE_INFINITY,
    signal?: AbortSignal,
  ): Promise<RepositoryEntry[]> {
    if (directory !== '') checkedName(directory);
    const dir = await missing(this.#folder.openDirectory(directory));
    const entries: RepositoryEntry[] = [];
    let looked = 0;
    if (!dir) return [];
    for await (const { name } of dir) {
      signal?.throwIfAborted();
      if (++looked > most) throw tooManyEntries(most);
      const stats = await this.#folder.statEntry(dir, name).catch(() => undefined);
      if (stats)
        entries.push({ name, size: stats.size, modifiedAt: stats.mtime, isDirectory: stats.isDirectory() });
    }
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async close(): Promise<void> {}
}

async function* withinQuota(chunks: AsyncIterable<Buffer | string>, quota: FolderQuota) {
  for await (const chunk of chunks) {
    await quota.grow(Buffer.byteLength(chunk));
    yield chunk;
  }
}

/** 503: half a file is not read, and a file that a client is writing is not removed. */
const stillUploaded = (name: string) =>
  new Refusal(
    503,
    'unavailable',
    `The file ${name} is still being uploaded; try again when the upload has ended`,
    {
      retryAfterS: 10,
    },
  );

/** 422: a directory is larger than the caller wants to read. */
export const tooManyEntries = (most: number) =>
  refused(`The folder has more than ${most} entries; move some of them to other folders`);

/** @throws 400 when the name is not one inside a repository. */
export function checkedName(name: string): string {
  const fault = fileNameFault(name);
  if (fault) throw invalid(`filename: the name ${fault}`);
  return name;
}

export function directoryOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/') + 1);
}

/** The result, or undefined when what was requested does not exist. */
async function missing<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (error instanceof FolderError && error.code === 'missing') return undefined;
    throw error;
  });
}
