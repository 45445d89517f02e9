import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { showTarget, Target } from '../target.ts';
import { getTargetOrRefuse, versionOfTarget } from '../target-store.ts';

export const getTarget = siteOperation({
  id: 'getTarget',
  method: 'GET',
  path: '/targets/{idTarget}',
  right: 'read',
  tag: 'Targets',
  summary: 'Get a target',
  description: 'Archived targets are returned too.',
  params: Params({ idTarget: Id('target') }),
  versionOf: (db, { params }, isLocked) => versionOfTarget(db, params.idTarget, isLocked),
  reply: Target,
  async handle({ db, params }) {
    return showTarget(await getTargetOrRefuse(db, params.idTarget));
  },
});
