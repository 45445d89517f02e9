import { siteOperation } from '../../platform/http/operation.ts';
import { Closed, Count, OneOf, Type } from '../../platform/http/schema.ts';
import { countNarrowing } from '../count-targets.ts';
import { filterKinds } from '../filters/filter-kinds.ts';
import { filtersMegabytes } from '../given-filters.ts';
import { AmongLowest, readUnsaved, unsavedExample, unsavedProperties } from '../unsaved-target.ts';

const steps = [...filterKinds.map(({ kind }) => kind), 'excludedTargets', 'limit'] as const;

const TargetStep = Closed('TargetStep', {
  step: OneOf(steps, 'The kind of filter, the excluded targets, or the limit (maxSelect or pctSelect)'),
  count: Count('The subscribers that are left after this step and all before it'),
});

export const countUnsavedTarget = siteOperation({
  id: 'countUnsavedTarget',
  method: 'POST',
  path: '/targets/count-unsaved',
  right: 'read',
  unaudited: 'read',
  tag: 'Targets',
  summary: 'Count the subscribers that a target would select',
  description:
    'Accepts the filters of a target before they are saved, each with the properties that set it, and counts the ' +
    'subscribers that are left after each step. Saves nothing. Omit filters that are disabled. A count that takes ' +
    'more than 30 seconds is aborted (503). With `among`, a slow SQL filter can be tried on a few subscribers.',
  body: Closed('UnsavedTarget', {
    ...unsavedProperties,
    among: AmongLowest('Count'),
  }),
  bodyMegabytes: filtersMegabytes,
  example: unsavedExample,
  reply: Closed('UnsavedTargetCount', {
    total: Count('All subscribers of the site, or the number that `among` leaves of them'),
    steps: Type.Array(TargetStep, { description: 'One for each filter that has a condition, in order' }),
    count: Count('The subscribers that the target would select'),
  }),
  refusals: [404, 409, 422, 503],
  async handle({ app, db, body: { among: lowest, ...given }, now, signal }) {
    const among = lowest ?? undefined;
    return readUnsaved({ app, db, at: now, signal, among, given }, async (tx, parts, target) => {
      const { from, afterFilters, afterExclusions } = await countNarrowing(tx, parts, among);
      const { maxSelect: most, pctSelect: share } = target.parameters;
      const count =
        most !== null ? Math.min(most, afterExclusions) : Math.ceil((afterExclusions * share) / 100);
      return {
        total: from,
        steps: [
          ...target.filters.map(({ kind }, i) => ({
            step: kind as (typeof steps)[number],
            count: afterFilters[i]!,
          })),
          ...(parts.afterExclusions ? [{ step: 'excludedTargets' as const, count: afterExclusions }] : []),
          ...(most !== null || share < 100 ? [{ step: 'limit' as const, count }] : []),
        ],
        count,
      };
    });
  },
});
