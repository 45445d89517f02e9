import { siteOperation } from '../../platform/http/operation.ts';
import { Bool, Id, Params } from '../../platform/http/schema.ts';
import { deleteTargetRow } from '../target-store.ts';

export const deleteTarget = siteOperation({
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
  reply: Bool(),
  refusals: [409],
  async handle({ db, params, now }) {
    await db.transaction((tx) => deleteTargetRow(tx, params.idTarget, now));
    return true;
  },
});
