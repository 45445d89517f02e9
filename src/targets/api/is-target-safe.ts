import { siteOperation } from '../../platform/http/operation.ts';
import { Bool, Id, Params } from '../../platform/http/schema.ts';
import { getTargetOrRefuse } from '../target-store.ts';

export const isTargetSafe = siteOperation({
  id: 'isTargetSafe',
  method: 'GET',
  path: '/targets/{idTarget}/safe',
  right: 'read',
  tag: 'Targets',
  summary: 'Check whether a target is safe',
  description: 'It is when an enabled field filter holds field 7 Equal 0. Campaigns take safe targets only.',
  params: Params({ idTarget: Id('target') }),
  reply: Bool(),
  async handle({ db, params }) {
    return (await getTargetOrRefuse(db, params.idTarget)).isSafe;
  },
});
