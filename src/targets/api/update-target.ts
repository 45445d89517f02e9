import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { GivenTarget, parametersOf, showTarget, Target } from '../target.ts';
import {
  checkExclusions,
  getTargetOrRefuse,
  lockExclusions,
  updateTargetRow,
  versionOfTarget,
} from '../target-store.ts';

export const updateTarget = siteOperation({
  id: 'updateTarget',
  method: 'PUT',
  path: '/targets/{idTarget}',
  right: 'write',
  tag: 'Targets',
  summary: 'Update a target',
  description:
    'Replaces all `parameters` of getTarget; omitted properties take their defaults. ' +
    'The filters stay as they are.',
  params: Params({ idTarget: Id('target') }),
  body: GivenTarget,
  example: { name: 'Subscribed this year', pctSelect: 50, isRandomMode: true },
  versionOf: async (db, { params }, isLocked) => {
    // Before the row, in the order of all changes of exclusions: the other order could deadlock.
    if (isLocked) await lockExclusions(db);
    return versionOfTarget(db, params.idTarget, isLocked);
  },
  reply: Target,
  refusals: [409],
  async handle({ db, params: { idTarget }, body, now }) {
    const parameters = parametersOf(body);
    return db.transaction(async (tx) => {
      await getTargetOrRefuse(tx, idTarget);
      await checkExclusions(tx, idTarget, parameters.excludedTargets);
      await updateTargetRow(tx, idTarget, parameters, now);
      return showTarget(await getTargetOrRefuse(tx, idTarget));
    });
  },
});
