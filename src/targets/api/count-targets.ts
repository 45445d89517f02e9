import { siteOperation } from '../../platform/http/operation.ts';
import { Bool, Closed, Count, Id, Type } from '../../platform/http/schema.ts';
import { countMembers } from '../count-targets.ts';
import { requestMs, Selection } from '../selection.ts';
import { unsafeTargets } from '../target-store.ts';

const CountedTarget = Closed('CountedTarget', {
  idTarget: Id('target'),
  isSafe: Bool('Whether it selects subscribed people only'),
  count: Count('The subscribers that it selects'),
});

export const countTargets = siteOperation({
  id: 'countTargets',
  method: 'POST',
  path: '/targets/count',
  right: 'read',
  unaudited: 'read',
  tag: 'Targets',
  summary: 'Count the subscribers of several targets',
  description:
    'All targets are counted at one instant. A subscriber that several of them select is counted once in `all` and ' +
    'in `safe`. A count that takes more than 30 seconds is aborted (503); request fewer targets.',
  body: Closed('TargetsToCount', {
    ids: Type.Array(Id('target'), { minItems: 1, maxItems: 50, uniqueItems: true }),
  }),
  reply: Closed('TargetCounts', {
    targets: Type.Array(CountedTarget, { description: 'In the order of the request' }),
    safe: Count('Subscribers that at least one of the safe targets selects'),
    all: Count('Subscribers that at least one of the targets selects'),
  }),
  refusals: [404, 409, 422, 503],
  async handle({ app, db, body: { ids }, now, signal }) {
    const options = { app, db, at: now, reader: 'caller', limitMs: requestMs, signal } as const;
    return Selection.select(options, async (selection) => {
      const unsafe = new Set(await unsafeTargets(selection.tx, ids));
      return selection.evaluate(ids, async (members) => {
        const targets = ids.map((id) => ({ members: members.get(id)!, isSafe: !unsafe.has(id) }));
        const { each, safe, all } = await countMembers(selection.tx, targets);
        const counted = ids.map((idTarget, i) => ({
          ...{ idTarget, isSafe: !unsafe.has(idTarget) },
          count: each[i]!,
        }));
        return { targets: counted, safe, all };
      });
    });
  },
});
