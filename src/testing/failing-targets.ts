import { sql } from '../platform/db/sql.ts';
import { setFilter } from '../targets/filter-store.ts';
import type { TestApp } from './app.ts';
import { makeTarget } from './campaign-makers.ts';
import { makeRepository } from './make-repository.ts';

/** Targets that cannot be evaluated. */
export type FailingTargets = Readonly<Record<409 | 422 | 503, number>>;

/**
 * Makes a target for each way in which an evaluation fails; their ids by the status that it answers: a field that has
 * changed under its filter, an expression that fails on a subscriber's values, a file whose repository is
 * unavailable. The site needs a subscriber, and its default repository is then one that nobody reaches.
 */
export async function failingTargets(t: TestApp): Promise<FailingTargets> {
  const make = async (kind: string, definition: Record<string, unknown>): Promise<number> => {
    const idTarget = await makeTarget(t.db, { isSafe: false });
    await setFilter(t.db, { idTarget, kind, isEnabled: true, definition });
    return idTarget;
  };
  const idAway = await makeRepository(t.db, t.app.secrets, { host: '127.0.0.1', port: 1 });
  await t.db.run(sql`update ${t.db.t.repository} set is_default = id = ${idAway}`);
  const list = { filename: 'l.csv', dbFieldName: 'fld0', fileAutomaticDeletionDate: '2027-01-01T00:00:00Z' };
  return {
    409: await make('field', { filters: [{ idField: 0, operator: 'Contains', value: 'x' }] }),
    422: await make('sql', { sql: '10 / (fld0 - fld0) > 0' }),
    503: await make('file', list),
  };
}

/** The error of each target. */
export const evaluationFailures = [
  [409, 'field 0 by Contains'],
  [422, 'division'],
  [503, ''],
] as const;
