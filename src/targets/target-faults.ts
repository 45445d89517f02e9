import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { Refusal } from '../platform/http/refusal.ts';
import { isStillLoading } from './file-loads.ts';
import { checkTargets } from './selection.ts';
import { findTarget } from './target-store.ts';

/** A target that cannot be used for a sending as it is. */
export interface TargetFault {
  /** The target and its fault in words, `the target 12 «Clients»: …`; or what is wrong with all together. */
  readonly problem: string;
  /** As a count is refused. Of status 503 where the target could not be checked, and may be fine by the next try. */
  readonly refusal: Refusal;
}

/**
 * The targets among these that a count and a sending would refuse, in the order given, each once. What only shows on
 * subscribers (a division by zero) is not looked for. A file that is still being loaded is no fault: a sending waits
 * for it.
 * @param idTargets as often as one statement uses each
 * @throws 429 when too much of the site's waits already.
 */
export async function targetFaults(
  app: App,
  db: SiteDb,
  idTargets: readonly number[],
  at: Date,
): Promise<TargetFault[]> {
  // All in one go, as often as they are used, which is the usual case; one by one only to tell which.
  const together = idTargets.length === 0 ? undefined : await refusalOf(app, db, idTargets, at);
  if (!together) return [];
  const faults: TargetFault[] = [];
  for (const id of new Set(idTargets)) {
    // What had to be loaded was waited for already.
    const refusal = await refusalOf(app, db, [id], at, 0);
    if (!refusal || isStillLoading(refusal)) continue;
    const name = (await findTarget(db, id))?.parameters.name;
    const which = `the target ${id}${name === undefined ? '' : ` «${name}»`}`;
    const isAway = refusal.status === 503;
    faults.push({
      problem: `${which}${isAway ? ' cannot be checked now' : ''}: ${refusal.message}`,
      refusal,
    });
  }
  // Each is well by itself: their filters are too large together.
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
