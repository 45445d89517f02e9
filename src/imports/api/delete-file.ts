import { lockFiles } from '../../files/file-lock.ts';
import { fileNameFault } from '../../files/file-name.ts';
import { isDenied } from '../../files/folder-error.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { siteAction } from '../../platform/http/operation.ts';
import { conflict, invalid, notFound } from '../../platform/http/refusal.ts';
import { Line, Query } from '../../platform/http/schema.ts';
import { whoNeeds } from '../needed-file.ts';
import { withDefaultRepository } from '../with-repository.ts';

export const deleteFile = siteAction({
  id: 'deleteFile',
  method: 'DELETE',
  path: '/files',
  right: 'write',
  tag: 'Imports',
  summary: "Delete a file of the site's default repository",
  description:
    'The repository is the one that imports read from and listFiles lists. A file that an import reads or waits for, ' +
    'or that the filter of a target names, is kept (409). A file that is still being uploaded is kept as well (503). ' +
    'A folder is no file (404).',
  query: Query({ name: Line(1_024, 'The path of the file, as listFiles returns it') }),
  refusals: [404, 409, 503],
  async handle({ app, db, query }) {
    const fault = fileNameFault(query.name);
    if (fault) throw invalid(`name: ${fault}`);
    const path = query.name.normalize('NFC');
    await checkUnneeded(db, path);
    await withDefaultRepository(app, db, async (files) => {
      // A link or a device of the embedded server's folder is no file of it.
      const stat = await files.stat(path).catch(unlessDenied(notFound('File')));
      if (!stat) throw notFound('File');
      await db.transaction(async (tx) => {
        // Again: the connection may have taken seconds.
        await lockFiles(tx, 'delete');
        await checkUnneeded(tx, path);
        const notAllowed = conflict('The SFTP server does not allow this file to be deleted');
        if (!(await files.remove(path).catch(unlessDenied(notAllowed)))) throw notFound('File');
      });
    });
  },
});

/** @throws 409 that names the imports and targets that need the file */
async function checkUnneeded(db: SiteDb, path: string): Promise<void> {
  const places = await whoNeeds(db, path);
  if (places.length > 0)
    throw conflict(`The file is needed by ${places.join(', ')}; delete or change that first`);
}

/** Throws `refusal` in place of a permanent refusal of the folder or the server. */
const unlessDenied = (refusal: Error) => (error: unknown) => {
  throw isDenied(error) ? refusal : error;
};
