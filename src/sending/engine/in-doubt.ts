import type { SiteDb } from '../../platform/db/site-db.ts';
import type { GroupCommit } from './group-commit.ts';
import { type Holder, renewAfterInDoubt } from './lease.ts';
import type { RangeRun } from './range-run.ts';

/**
 * Brings a doubtful range back to work once the database answers again: the range's own row says whether the commit
 * in question happened. What it carried, and what connections reported since, is then recorded, so that a restart of
 * PostgreSQL alone makes nobody uncertain.
 * @returns false when the range is no longer ours: it no longer exists, and its new holder decides about who was in
 * flight.
 */
export async function resolveInDoubt(
  db: SiteDb,
  holder: Holder,
  commit: GroupCommit,
  run: RangeRun,
): Promise<boolean> {
  const renewed = await renewAfterInDoubt(db, holder, run);
  if (!renewed) {
    commit.leave(run);
    return false;
  }
  commit.doubtful.delete(run);
  const { doubt } = run;
  run.epoch = renewed.epoch;
  run.status = 'open';
  run.doubt = undefined;
  const unrecorded = run.unrecorded.splice(0);
  if (doubt && renewed.lastCommit === doubt.number) {
    for (const outcome of doubt.outcomes) run.confirm(outcome);
  } else {
    for (const outcome of doubt?.outcomes ?? []) commit.record(run, outcome);
  }
  for (const outcome of unrecorded) commit.record(run, outcome);
  // A commit that did not happen leaves a hole in the numbers, no more.
  return true;
}
