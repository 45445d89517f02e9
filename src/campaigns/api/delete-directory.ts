import { deleteDirectoryRow } from '../../contents/directory-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Bool, Id, Params } from '../../platform/http/schema.ts';
import { forgetDirectory } from '../campaign-store.ts';

export const deleteDirectory = siteOperation({
  id: 'deleteDirectory',
  method: 'DELETE',
  path: '/directories/{idDirectory}',
  right: 'write',
  tag: 'Tags',
  summary: 'Delete a directory',
  description:
    'What stands in it is kept, and stands in its other directories only. Not one of the system (422), and not one ' +
    'that has sub-directories (409).',
  params: Params({ idDirectory: Id() }),
  reply: Bool(),
  refusals: [409, 422],
  handle: ({ db, params }) =>
    db.transaction(async (tx) => {
      await deleteDirectoryRow(tx, params.idDirectory);
      await forgetDirectory(tx, params.idDirectory);
      return true;
    }),
});
