import { siteAction } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { deleteImportRow, lockForAct } from '../import-store.ts';

export const deleteImport = siteAction({
  id: 'deleteImport',
  method: 'DELETE',
  path: '/imports/{idImport}',
  right: 'write',
  tag: 'Imports',
  summary: 'Delete an import',
  description:
    'The import no longer runs and is no longer listed; `getImport` still returns it, with `deletionDate`. An import ' +
    'that is InProgress must be paused first. Imported data stay.',
  params: Params({ idImport: Id('import') }),
  refusals: [409],
  handle: ({ db, params: { idImport }, now }) =>
    db.transaction(async (tx) => {
      await lockForAct(tx, idImport, 'deleted');
      await deleteImportRow(tx, idImport, now);
    }),
});
