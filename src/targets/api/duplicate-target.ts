import { siteOperation } from '../../platform/http/operation.ts';
import { Id } from '../../platform/http/schema.ts';
import { copyFilters } from '../filter-store.ts';
import { copyOf, showTarget, Target } from '../target.ts';
import {
  checkExclusions,
  getTargetOrRefuse,
  insertTarget,
  lockExclusions,
  lockTarget,
} from '../target-store.ts';

export const duplicateTarget = siteOperation({
  id: 'duplicateTarget',
  method: 'POST',
  path: '/targets/duplicate',
  right: 'write',
  tag: 'Targets',
  summary: 'Duplicate a target',
  description: 'The copy has the same parameters and filters, another name, and the caller as its author.',
  body: Id('target', 'The target to copy'),
  reply: Target,
  refusals: [404, 409],
  async handle({ db, body, caller, now }) {
    return db.transaction(async (tx) => {
      // In the same order as `deleteTarget`: this waits for a concurrent deletion of the source. A copy of a
      // half-deleted target would have no filters and select all subscribers.
      await lockExclusions(tx);
      await lockTarget(tx, body);
      const parameters = copyOf((await getTargetOrRefuse(tx, body)).parameters);
      await checkExclusions(tx, undefined, parameters.excludedTargets);
      const id = await insertTarget(tx, parameters, caller, now);
      await copyFilters(tx, body, id);
      return showTarget(await getTargetOrRefuse(tx, id));
    });
  },
});
