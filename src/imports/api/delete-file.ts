import { lockFiles } from '../../files/file-lock.ts';
import { fileNameFault } from '../../files/file-name.ts';
import { isDenied } from '../../files/folder-error.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { sql } from '../../platform/db/sql.ts';
import { siteAction } from '../../platform/http/operation.ts';
import { conflict, invalid, notFound } from '../../platform/http/refusal.ts';
import { Line, Query } from '../../platform/http/schema.ts';
import { targetsWithFile } from '../../targets/filter-store.ts';
import { filenameOf, type Scheduling } from '../import-schedule.ts';
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

const maxPlaces = 5;

/**
 * Imports and targets that still need a file of the default repository, in words, at most five: an import that runs,
 * or that is planned for one run; a target whose file filter has not ended. A recurring import that waits does not
 * count: its file may be replaced until then.
 */
async function whoNeeds(db: SiteDb, path: string): Promise<string[]> {
  const imports = await db.rows<OpenImport>(sql`
    select id, filename, scheduling, scheduled_at as "scheduledAt" from ${db.t.import}
    where not is_deleted and (state = 'InProgress'
      or (state in ('Scheduled', 'Paused') and normalize(filename) = ${path}
        and not coalesce((scheduling ->> 'isRecurring')::boolean, false)))
    order by id`);
  const reading = imports.filter(
    ({ filename, scheduling, scheduledAt }) =>
      filenameOf(filename, scheduling, scheduledAt).normalize('NFC') === path,
  );
  const targets = await targetsWithFile(db, path, maxPlaces);
  const places = [...reading.map(({ id }) => `import ${id}`), ...targets.map((id) => `target ${id}`)];
  return places.slice(0, maxPlaces);
}

interface OpenImport {
  readonly id: number;
  readonly filename: string;
  readonly scheduling: Scheduling;
  readonly scheduledAt: Date;
}
