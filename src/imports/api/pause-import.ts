import { siteOperation } from '../../platform/http/operation.ts';
import { Bool, Id, Params } from '../../platform/http/schema.ts';
import { lockForAct, pauseImportRow } from '../import-store.ts';

export const pauseImport = siteOperation({
  id: 'pauseImport',
  method: 'POST',
  path: '/imports/{idImport}/pause',
  right: 'write',
  tag: 'Imports',
  summary: 'Pause an import',
  description:
    'A run that is under way stops within a second or two and changes nothing; when it is at its very end, the call ' +
    'waits for it and finds the import ended.',
  params: Params({ idImport: Id() }),
  reply: Bool(),
  refusals: [409],
  handle: ({ db, params: { idImport } }) =>
    db.transaction(async (tx) => {
      await lockForAct(tx, idImport, 'paused');
      await pauseImportRow(tx, idImport);
      return true;
    }),
});
