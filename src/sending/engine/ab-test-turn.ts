import { countersOfSents, humanClickersOf } from '../../activity/counter-store.ts';
import { noCounters } from '../../activity/counters.ts';
import type { AbTestType } from '../../campaigns/ab-test.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { type Choice, chooseWinner, type VariantResult, winnerAfterMs, withRemainder } from '../ab-test.ts';
import { decide, hasUntried, lockDueTest, setDue } from '../ab-test-store.ts';
import { offerJob } from '../job-store.ts';

/**
 * Brings the A/B test of a job that is sending on: notes when its winner is to be chosen once everybody in the
 * variants was attempted, and chooses it when that time has come. May be asked at any time, by any number of
 * processes.
 * @param dueAt as it was noted; null when it is not yet
 * @returns the choice, to the one whose it is
 */
export async function bringTestOn(
  db: SiteDb,
  idJob: number,
  dueAt: Date | null,
  at: Date,
): Promise<Choice | undefined> {
  if (dueAt !== null) return dueAt <= at ? decideNow(db, idJob, at) : undefined;
  if (!(await hasUntried(db, idJob))) await setDue(db, idJob, new Date(at.getTime() + winnerAfterMs));
  return undefined;
}

/** In one transaction: the figures, the winner, the remainder's messages, and its ranges to anyone who sends them. */
async function decideNow(db: SiteDb, idJob: number, at: Date): Promise<Choice | undefined> {
  return db.transaction(async (tx) => {
    const due = await lockDueTest(tx, idJob, at);
    if (!due) return undefined;
    const variants = due.frozen.sents.map(({ conf }) => conf.idSent);
    const results = await resultsOf(tx, due.type, variants);
    const choice = chooseWinner(results);
    const frozen = withRemainder(due.frozen, due.type, choice.idSent, at);
    const { type, idRemainder } = due;
    await decide(tx, idJob, { type, idRemainder, frozen, idWinner: choice.idSent, results }, at);
    await offerJob(tx, idJob);
    return choice;
  });
}

async function resultsOf(tx: SiteDb, type: AbTestType, idsSent: readonly number[]): Promise<VariantResult[]> {
  const counters = await countersOfSents(tx, idsSent);
  const clickers = type === 'Content' ? await humanClickersOf(tx, idsSent) : undefined;
  return idsSent.map((idSent) => {
    const { nbHumanOpeners, nbDelivered } = counters.get(idSent) ?? noCounters;
    const readers = clickers ? (clickers.get(idSent) ?? 0) : nbHumanOpeners;
    return { idSent, readers, delivered: nbDelivered };
  });
}
