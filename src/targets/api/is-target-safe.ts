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
  description:
    'A target is safe if an enabled field filter contains field 7 Equal 0. Campaigns accept only safe targets.',
  params: Params({ idTarget: Id('target') }),
  reply: Bool(),
  async handle({ db, params }) {
    return (await getTargetOrRefuse(db, params.idTarget)).isSafe;
  },
});
