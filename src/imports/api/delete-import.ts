import { siteOperation } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Bool, Closed, Id } from '../../platform/http/schema.ts';
import { checkAct } from '../import-state.ts';
import { deleteImportRow, lockImport, standingOf } from '../import-store.ts';

export const deleteImport = siteOperation({
  id: 'deleteImport',
  method: 'DELETE',
  path: '/imports/{idImport}',
  right: 'write',
  tag: 'Imports beyond the document',
  summary: 'Delete an import that is not under way',
  description:
    'It runs no more and leaves the list; `getImport` still shows it, with `deletionDate`. One that is InProgress ' +
    'must be paused first. What it imported stays.',
  params: Closed('ImportId', { idImport: Id() }),
  reply: Bool(),
  refusals: [409],
  handle: ({ db, params: { idImport }, now }) =>
    db.transaction(async (tx) => {
      const found = await lockImport(tx, idImport);
      if (!found) throw notFound('Import');
      checkAct(standingOf(found), 'deleted');
      await deleteImportRow(tx, idImport, now);
      return true;
    }),
});
