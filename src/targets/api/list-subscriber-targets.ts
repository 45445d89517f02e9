import { MergeNotEnded } from '../../fields/merge-state.ts';
import type { App } from '../../platform/app.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { sql } from '../../platform/db/sql.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { notFound, Refusal } from '../../platform/http/refusal.ts';
import {
  Closed,
  Count,
  Id,
  OneOf,
  Paged,
  Params,
  pageOf,
  Query,
  type Static,
  Type,
} from '../../platform/http/schema.ts';
import { requestMs, Selection } from '../selection.ts';
import { listTargetRows } from '../target-list-store.ts';

/** Targets that one request evaluates. A filter on behaviour costs as much for one subscriber as for all. */
const most = 20;

const State = OneOf(['In', 'NotIn', 'Undecided', 'Failed'] as const);

const TargetOfSubscriber = Closed('TargetOfSubscriber', {
  idTarget: Id('target'),
  name: Type.String({ title: 'String' }),
  state: State,
});

export const listSubscriberTargets = siteOperation({
  id: 'listSubscriberTargets',
  method: 'GET',
  path: '/subscribers/{idSubscriber}/targets',
  right: 'read',
  tag: 'Targets',
  summary: 'List targets, with whether each selects a subscriber',
  description:
    'The targets that are not archived, the last changed one first, each evaluated now for this subscriber. `state` ' +
    'is In or NotIn where the target decides it. Undecided: the filters select the subscriber, but the target, or ' +
    'one that it excludes, takes only a part of those people. Failed: the target cannot be used as it is, or the ' +
    'request has taken 30 seconds. While an import or a file is being loaded, the reply is 503. One request ' +
    `evaluates at most ${most} targets, because some filters cost as much for one subscriber as for all.`,
  params: Params({ idSubscriber: Id('subscriber') }),
  query: Query({
    'filter.start': Type.Optional(Count()),
    'filter.limit': Type.Optional(Type.Integer({ minimum: 1, maximum: most, default: most })),
  }),
  reply: Paged(TargetOfSubscriber),
  refusals: [503],
  async handle({ app, db, params: { idSubscriber }, query, caller, now, signal }) {
    const known = sql`select exists (select from ${db.t.subscriber} where fld0 = ${idSubscriber}::int)`;
    if (!(await db.value<boolean>(known))) throw notFound('Subscriber');
    const { 'filter.start': start = 0, 'filter.limit': limit = most } = query;
    const { totalCount, items } = await listTargetRows(db, {
      ...{ location: { name: 'All' }, idUser: caller.idUser, start, limit },
      ...{ sortBy: 'LastUpdateDate', isDescending: true },
    });
    const end = performance.now() + requestMs;
    const evaluated: Static<typeof TargetOfSubscriber>[] = [];
    for (const { idTarget, name } of items) {
      const limitMs = end - performance.now();
      const state = await stateOf({ app, db, at: now, limitMs, signal }, idTarget, idSubscriber);
      evaluated.push({ idTarget, name, state });
    }
    return pageOf(evaluated, totalCount, start);
  },
});

interface Evaluation {
  readonly app: App;
  readonly db: SiteDb;
  readonly at: Date;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** Evaluates one target in a transaction of its own, so that one that fails does not end the others. */
async function stateOf(
  evaluation: Evaluation,
  idTarget: number,
  idSubscriber: number,
): Promise<Static<typeof State>> {
  if (evaluation.limitMs <= 0) return 'Failed';
  try {
    const selects = await Selection.select(
      { ...evaluation, reader: 'caller', among: { idSubscriber } },
      (selection) => selection.selects(idTarget, idSubscriber),
    );
    if (selects === null) return 'Undecided';
    return selects ? 'In' : 'NotIn';
  } catch (error) {
    // Another request may have deleted the target since it was listed.
    if (error instanceof Refusal && !isTransient(error)) return 'Failed';
    throw error;
  }
}

/**
 * Whether the same request succeeds later: too many wait, or an import or a file is still being loaded. A repository
 * that is away is a matter of the target.
 */
const isTransient = (error: Refusal): boolean =>
  error.status === 429 || error instanceof MergeNotEnded || ['loading', 'busy'].includes(error.code);
