import { siteOperation } from '../../platform/http/operation.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Closed } from '../../platform/http/schema.ts';
import {
  filtersMegabytes,
  givenFilters,
  keepFiles,
  parseFilters,
  storeFilter,
  UnsavedFilters,
} from '../given-filters.ts';
import { withFilterFiles } from '../selection.ts';
import { GivenTarget, parametersOf, showTarget, Target } from '../target.ts';
import { checkExclusions, getTargetOrRefuse, insertTarget } from '../target-store.ts';

export const createTargetWithFilters = siteOperation({
  id: 'createTargetWithFilters',
  method: 'POST',
  path: '/targets/with-filters',
  right: 'write',
  tag: 'Targets',
  summary: 'Create a target with its filters',
  description:
    'Stores the target and all its filters together, or nothing if one of them is wrong. Each filter has the ' +
    'properties that set it, and is enabled. A filter without a condition is rejected: the target would select more ' +
    'subscribers than its filters say. An error about a filter begins with its kind: `field.filters[0].value: …`.',
  body: Closed('TargetWithFilters', { ...GivenTarget.properties, filters: UnsavedFilters }),
  bodyMegabytes: filtersMegabytes,
  example: {
    name: 'Subscribed this year',
    filters: { field: { filters: [{ idField: 7, operator: 'Equal', value: '0' }] } },
  },
  reply: Target,
  refusals: [404, 409, 422, 503],
  async handle({ app, db, body: { filters, ...target }, caller, now }) {
    const parameters = parametersOf(target);
    const given = givenFilters(filters);
    return withFilterFiles(app, db, async (tx) => {
      await keepFiles(tx, given);
      const parsed = await parseFilters(app, tx, now, given);
      const empty = given.find(({ kind }) => !parsed.some((one) => one.kind === kind));
      if (empty) throw invalid(`${empty.kind}: has no condition; omit the filter`);
      // After the filters, which can take seconds to check: the others who create targets wait from here on.
      await checkExclusions(tx, undefined, parameters.excludedTargets);
      const idTarget = await insertTarget(tx, parameters, caller, now);
      for (const filter of parsed) await storeFilter(tx, { ...filter, idTarget, isEnabled: true });
      return showTarget(await getTargetOrRefuse(tx, idTarget));
    });
  },
});
