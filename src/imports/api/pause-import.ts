import { siteAction } from '../../platform/http/operation.ts';
import { conflict } from '../../platform/http/refusal.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { lockForAct, pauseImportRow } from '../import-store.ts';
import { findMerge } from '../merge-state-store.ts';

export const pauseImport = siteAction({
  id: 'pauseImport',
  method: 'POST',
  path: '/imports/{idImport}/pause',
  right: 'write',
  tag: 'Imports',
  summary: 'Pause an import',
  description:
    'A run stops within a second or two and changes nothing. At its very end, the call waits for ' +
    'it and finds the import ended. A large file whose rows are being written to the subscribers can no longer be ' +
    'paused: the call returns 409.',
  params: Params({ idImport: Id('import') }),
  refusals: [409],
  handle: ({ db, params: { idImport } }) =>
    db.transaction(async (tx) => {
      await lockForAct(tx, idImport, 'paused');
      if ((await findMerge(tx))?.idImport === idImport)
        throw conflict(
          'The rows of the import are being written to the subscribers; wait until it is Completed',
        );
      await pauseImportRow(tx, idImport);
    }),
});
