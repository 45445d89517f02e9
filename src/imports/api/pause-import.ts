import { siteOperation } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Bool, Closed, Id } from '../../platform/http/schema.ts';
import { checkAct } from '../import-state.ts';
import { lockImport, pauseImportRow, standingOf } from '../import-store.ts';

export const pauseImport = siteOperation({
  id: 'pauseImport',
  method: 'POST',
  path: '/imports/{idImport}/pause',
  right: 'write',
  tag: 'Imports beyond the document',
  summary: 'Pause an import',
  description:
    'A run that is under way stops within a second or two and changes nothing; when it is at its very end, the call ' +
    'waits for it and finds the import ended.',
  params: Closed('ImportId', { idImport: Id() }),
  reply: Bool(),
  refusals: [409],
  handle: ({ db, params: { idImport } }) =>
    db.transaction(async (tx) => {
      const found = await lockImport(tx, idImport);
      if (!found) throw notFound('Import');
      checkAct(standingOf(found), 'paused');
      await pauseImportRow(tx, idImport);
      return true;
    }),
});
