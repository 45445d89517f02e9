import { siteOperation } from '../../platform/http/operation.ts';
import { GivenTarget, parametersOf, showTarget, Target } from '../target.ts';
import { checkExclusions, getTargetOrRefuse, insertTarget } from '../target-store.ts';

export const createTarget = siteOperation({
  id: 'createTarget',
  method: 'POST',
  path: '/targets',
  right: 'write',
  tag: 'Targets',
  summary: 'Create a target',
  description: 'A target without filters selects all subscribers. Other operations set its filters.',
  body: GivenTarget,
  example: { name: 'Subscribed this year', pctSelect: 100, isRandomMode: false, excludedTargets: [] },
  reply: Target,
  refusals: [404, 409],
  async handle({ db, body, caller, now }) {
    const parameters = parametersOf(body);
    return db.transaction(async (tx) => {
      await checkExclusions(tx, undefined, parameters.excludedTargets);
      const id = await insertTarget(tx, parameters, caller, now);
      return showTarget(await getTargetOrRefuse(tx, id));
    });
  },
});
