import { pipeline, Transform } from 'node:stream';
import type { App } from '../../platform/app.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { FileBytes, type SentFile, siteOperation } from '../../platform/http/operation.ts';
import { conflict, notFound, Refusal } from '../../platform/http/refusal.ts';
import { Line, Query } from '../../platform/http/schema.ts';
import { fileNameFault } from '../file-name.ts';
import { FolderError } from '../folder-error.ts';
import { openRepository } from '../open-repository.ts';
import { embeddedRepository } from '../repository.ts';
import { defaultRepository } from '../repository-store.ts';

export const downloadFile = siteOperation({
  id: 'downloadFile',
  method: 'GET',
  path: '/files',
  right: 'write',
  tag: 'Imports',
  summary: 'Download a file from the embedded SFTP server',
  description:
    "Returns the bytes of a file in the site's folder, as an attachment. The file of an export is at its `filepath` " +
    '(getExportState). The rejected rows of an import are at the `filename` of its log, followed by ' +
    '`.errors.csv`. Such a file is there once it is complete, and until a later one of the same name replaces it. If ' +
    'the default repository of the site is another SFTP account, imports and exports write there: a missing file ' +
    'then returns 409 instead of 404. A file that is still being uploaded returns 503.',
  query: Query({
    name: Line(1_024, 'The path of the file below the folder, for example `exports/people.csv`'),
  }),
  givesFile: true,
  reply: FileBytes,
  refusals: [404, 409, 503],
  handle: ({ app, db, query }) => openDownload(app, db, query.name),
});

/**
 * Opens a file of the site's folder on the embedded SFTP server. A name outside the folder, a folder, a link and a
 * device are no file there.
 * @throws 404; 409 instead when the site's default repository is another one; 503 during an upload of the file
 */
async function openDownload(app: App, db: SiteDb, name: string): Promise<SentFile> {
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
