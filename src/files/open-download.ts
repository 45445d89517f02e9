import { pipeline, Transform } from 'node:stream';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import type { SentFile } from '../platform/http/operation.ts';
import { conflict, notFound, Refusal } from '../platform/http/refusal.ts';
import { fileNameFault } from './file-name.ts';
import { FolderError } from './folder-error.ts';
import { openRepository } from './open-repository.ts';
import { embeddedRepository } from './repository.ts';
import { defaultRepository } from './repository-store.ts';

/**
 * Opens a file of the site's folder on the embedded SFTP server. A name outside the folder, a folder, a link and a
 * device are no file there.
 * @throws 404; 409 instead when the site's default repository is another one; 503 during an upload of the file
 */
export async function openDownload(app: App, db: SiteDb, name: string): Promise<SentFile> {
  const files = await openRepository(app, db, embeddedRepository);
  const path = name.normalize('NFC');
  try {
    const found = fileNameFault(path) === undefined ? await files.stat(path) : undefined;
    if (!found) throw await missing(db);
    // The response reports an error of either.
    const bytes = pipeline(await files.read(path), exactly(found.size), () => undefined);
    return { name: path.slice(path.lastIndexOf('/') + 1), size: found.size, bytes };
  } catch (error) {
    // A link or a device; or the file was removed after the first look.
    if (error instanceof FolderError && error.code === 'denied') throw notFound('File');
    throw error instanceof Refusal && error.status === 404 ? notFound('File') : error;
  } finally {
    await files.close();
  }
}

async function missing(db: SiteDb): Promise<Refusal> {
  const idDefault = await defaultRepository(db);
  if (idDefault === embeddedRepository) return notFound('File');
  return conflict(
    `The site's folder has no such file. Imports and exports of this site use the SFTP account ${idDefault}; get the ` +
      'file there by SFTP',
  );
}

/** Passes on a file's bytes; fails, which breaks the response off, if the file was written to in the meantime. */
function exactly(size: number): Transform {
  let passed = 0;
  const changed = () => new Error('The file changed while it was downloaded');
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passed += chunk.length;
      if (passed > size) done(changed());
      else done(null, chunk);
    },
    flush: (done) => done(passed === size ? null : changed()),
  });
}
