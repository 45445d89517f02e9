import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { Refusal } from '../platform/http/refusal.ts';
import { isStillLoading } from './file-loads.ts';
import { checkTargets } from './selection.ts';
import { findTarget } from './target-store.ts';

/** A target that cannot be used for a sending as it is. */
export interface TargetFault {
  /** The target and its fault in words, or the fault of all together: `the target 12 “Clients”: …`. */
  readonly problem: string;
  /** `12 “Clients”`; undefined for the fault of all together. */
  readonly target?: string;
  /** The refusal of a count. Status 503 means that the target could not be checked and may have no fault. */
  readonly refusal: Refusal;
}

/**
 * The distinct targets among these that a count and a sending would refuse, in the given order. Faults that only show
 * on a subscriber's values (division by zero) are not looked for. A file that is still loading is not a fault: a
 * sending waits for it.
 * @param idTargets each as often as one statement uses it
 * @throws 429 when too many evaluations of the site are waiting.
 */
export async function targetFaults(
  app: App,
  db: SiteDb,
  idTargets: readonly number[],
  at: Date,
): Promise<TargetFault[]> {
  // All together first, which is the usual case; one by one only to find the faulty ones.
  const together = idTargets.length === 0 ? undefined : await refusalOf(app, db, idTargets, at);
  if (!together) return [];
  const faults: TargetFault[] = [];
  for (const id of new Set(idTargets)) {
    // The files were already waited for.
    const refusal = await refusalOf(app, db, [id], at, 0);
    if (!refusal || isStillLoading(refusal)) continue;
    const name = (await findTarget(db, id))?.parameters.name;
    const target = name === undefined ? String(id) : `${id} “${name}”`;
    const isAway = refusal.status === 503;
    faults.push({
      problem: `the target ${target}${isAway ? ' cannot be checked now' : ''}: ${refusal.message}`,
      target,
      refusal,
    });
  }
  // Each is valid alone: their filters are too large together.
  if (faults.length === 0 && together.status === 422)
    faults.push({ problem: together.message, refusal: together });
  return faults;
}

async function refusalOf(
  app: App,
  db: SiteDb,
  ids: readonly number[],
  at: Date,
  patienceMs?: number,
): Promise<Refusal | undefined> {
  try {
    await checkTargets(app, db, ids, at, patienceMs);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal) || error.status === 429) throw error;
    return error;
  }
}
