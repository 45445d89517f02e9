import { sql } from '../../platform/db/sql.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Int32, Params, Type } from '../../platform/http/schema.ts';
import { readTargetSet } from '../selection.ts';

export const getTargetSubscriberIds = siteOperation({
  id: 'getTargetSubscriberIds',
  method: 'GET',
  path: '/targets/{idTarget}/subscriber-ids',
  right: 'read',
  tag: 'Targets',
  summary: 'Get the ids of the subscribers that a target selects',
  description: 'All of them, ascending.',
  params: Params({ idTarget: Id('target') }),
  reply: Type.Array(Int32()),
  refusals: [409, 422, 503],
  async handle({ app, db, params: { idTarget }, now, signal }) {
    return readTargetSet({ app, db, idTarget, at: now, signal }, async (tx, set) => {
      // One JSON value instead of a row an id: a million ids arrive in a third of the time.
      return tx.value<number[]>(sql`
        select coalesce(json_agg(fld0 order by fld0), '[]') as ids from (${set}) as selected`);
    });
  },
});
