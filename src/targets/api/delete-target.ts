import { siteAction } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { deleteTargetRow } from '../target-store.ts';

export const deleteTarget = siteAction({
  id: 'deleteTarget',
  method: 'DELETE',
  path: '/targets/{idTarget}',
  right: 'write',
  tag: 'Targets',
  summary: 'Delete a target',
  description:
    'Refused while another target excludes it, or a campaign that is scheduled, sending or paused uses it for a ' +
    'segment or as its idTestTarget. Campaigns in preparation that use it will need another target; archive it ' +
    'instead to keep them as they are.',
  params: Params({ idTarget: Id('target') }),
  refusals: [409],
  handle: ({ db, params, now }) => db.transaction((tx) => deleteTargetRow(tx, params.idTarget, now)),
});
