import { sql } from '../../platform/db/sql.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Count, Id, Query } from '../../platform/http/schema.ts';
import { targetSet } from '../target-set.ts';

export const countTarget = siteOperation({
  id: 'countTarget',
  method: 'GET',
  path: '/targets/{idTarget}/count',
  right: 'read',
  tag: 'Targets',
  summary: 'Count whom a target selects',
  params: Query({ idTarget: Id() }),
  reply: Count(),
  refusals: [409],
  async handle({ db, params, now }) {
    const set = await targetSet(db, params.idTarget, now);
    const row = await db.one<{ count: number }>(sql`select count(*) as count from (${set}) as selected`);
    return row.count;
  },
});
