import { sql } from '../../platform/db/sql.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Count, Id, Params } from '../../platform/http/schema.ts';
import { readTargetSet } from '../selection.ts';

export const countTarget = siteOperation({
  id: 'countTarget',
  method: 'GET',
  path: '/targets/{idTarget}/count',
  right: 'read',
  tag: 'Targets',
  summary: 'Count the subscribers a target selects',
  params: Params({ idTarget: Id('target') }),
  reply: Count(),
  refusals: [409, 422, 503],
  handle: ({ app, db, params: { idTarget }, now, signal }) =>
    readTargetSet({ app, db, idTarget, at: now, signal }, (tx, set) =>
      tx.value<number>(sql`select count(*) as count from (${set}) as selected`),
    ),
});
