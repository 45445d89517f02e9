import { deleteDirectoryRow } from '../../contents/directory-store.ts';
import { siteAction } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { forgetDirectory } from '../campaign-store.ts';

export const deleteDirectory = siteAction({
  id: 'deleteDirectory',
  method: 'DELETE',
  path: '/directories/{idDirectory}',
  right: 'write',
  tag: 'Tags',
  summary: 'Delete a directory',
  description:
    'Its objects are kept, and stay in their other directories. System directories (422) and directories ' +
    'with sub-directories (409) cannot be deleted.',
  params: Params({ idDirectory: Id('directory') }),
  refusals: [409, 422],
  handle: ({ db, params }) =>
    db.transaction(async (tx) => {
      await deleteDirectoryRow(tx, params.idDirectory);
      await forgetDirectory(tx, params.idDirectory);
    }),
});
