import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { conflict, invalid, Refusal, tooLarge } from '../platform/http/refusal.ts';
import { fileNameFault } from './file-name.ts';
import { FolderError } from './folder-error.ts';
import { openRepository } from './open-repository.ts';
import { embeddedRepository, type RepositoryFiles } from './repository.ts';
import { defaultRepository } from './repository-store.ts';

/** A name that no import takes for its own file, and by which what a killed process left is known. */
const temporaryName = () => `.upload-${randomUUID()}.tmp`;
const isTemporary = (name: string): boolean => /^\.upload-[0-9a-f-]{36}\.tmp$/.test(name);
/** An upload has ended long before. */
const leftAfterMs = 3_600_000;

/**
 * Stores a file in the site's folder on the embedded SFTP server, under its name only once it is complete. What killed
 * processes left an hour ago is removed on the way.
 * @throws 400 for the name, 409 when imports read from another repository, 413 beyond the quota, and what `file` throws
 */
export async function storeUpload(
  app: App,
  db: SiteDb,
  { name, file, now }: { readonly name: string; readonly file: AsyncIterable<Buffer>; readonly now: Date },
): Promise<{ path: string; sizeInBytes: number }> {
  const fault = fileNameFault(name);
  if (fault) throw invalid(`name: ${fault}`);
  const path = name.normalize('NFC');
  const idDefault = await defaultRepository(db);
  // An import names no repository: it would fail later, and say that the file does not exist.
  if (idDefault !== embeddedRepository)
    throw conflict(
      `Imports of this site read from the SFTP account ${idDefault}, not from the site's folder; put the file there ` +
        "by SFTP, or have an administrator make the site's folder the default repository",
    );
  const files = await openRepository(app, db, embeddedRepository);
  try {
    await removeLeftovers(files, now);
    let sizeInBytes = 0;
    async function* counted() {
      for await (const chunk of file) {
        sizeInBytes += chunk.length;
        yield chunk;
      }
    }
    await files.write(path, Readable.from(counted(), { objectMode: false }), temporaryName());
    return { path, sizeInBytes };
  } catch (error) {
    // The quota, in a write of ours to a folder of ours.
    if (error instanceof Refusal && error.status === 422) throw tooLarge(error.message);
    if (isNameTaken(error)) throw invalid('name: a folder has this name, or a file the name of its folder');
    throw error;
  } finally {
    await files.close();
  }
}

/** Whether a folder is in the way of a file, a file in the way of its folder, or a link in the way of both. */
const isNameTaken = (error: unknown): boolean =>
  error instanceof FolderError &&
  (error.code === 'missing' || error.code === 'denied' || error.message === 'EISDIR');

async function removeLeftovers(files: RepositoryFiles, now: Date): Promise<void> {
  for (const { name, modifiedAt, isDirectory } of await files.list(''))
    if (!isDirectory && isTemporary(name) && now.getTime() - modifiedAt.getTime() > leftAfterMs)
      await files.remove(name);
}
