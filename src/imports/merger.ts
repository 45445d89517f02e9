import type { RepositoryFiles } from '../files/repository.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb, SiteSession } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { countGrowthAs } from '../subscribers/growth-store.ts';
import { keepMisfits, type Misfits, markMisfits } from '../subscribers/merge-trial.ts';
import {
  endOfStretch,
  indexMatches,
  indexStage,
  matchAgain,
  takeTurn,
  within,
} from '../subscribers/subscriber-merge.ts';
import { cancellableSession } from './cancellable-session.ts';
import type { ErrorFile } from './error-file.ts';
import type { ImportCounters } from './import.ts';
import { ImportCannotStart } from './import-plan.ts';
import type { Attempt } from './import-store.ts';
import {
  CellsUnknown,
  isHeldBySafeMode,
  isOfOthers,
  isOfRows,
  lockOutWriters,
  lookUpCells,
  matchRows,
  mergeOf,
  progressAt,
  type Stretch,
  tryStage,
  writeRows,
} from './merge-stage.ts';
import {
  advanceMerge,
  beginMerge,
  findMerge,
  type MergeProgress,
  MergeUnfinished,
  noteCounters,
  resumeMerge,
} from './merge-state-store.ts';
import type { Staged, Staging } from './stage-file.ts';

/** Valid rows of a file that one transaction merges: half a second on two slow cores. */
const maxAtOnce = 20_000;

/** The intended duration of a step: a change of a subscriber that the step has written waits for its end. */
const stepMs = 250;
/** Rows of the first step, the largest one, and one among whose rows some are refused. */
const stepRows = { first: 5_000, most: 50_000, careful: 1_000 } as const;

/** Merges of one reading; those before the last end when they refuse rows whose cells are to be looked up. */
const maxLooks = 5;

/** Searches for rejected rows: one can bring up the previous row of its key. The last rejects all rows of such keys. */
const maxTrials = 4;

/** Times that one step is lost because others write the same; the next time it keeps other writers out. */
const maxLost = 3;

/** Ends a transaction that is to leave nothing. */
class OnlyTried extends Error {}

/** Steps have refused rows, which the error file does not know yet. */
class RefusedInSteps extends Error {}

export interface Merging {
  readonly app: App;
  readonly db: SiteDb;
  readonly attempt: Attempt;
  readonly staging: Staging & { readonly errors: ErrorFile };
  readonly staged: Staged;
  /** Whether other writers are kept out of a merge at once: they have changed the same rows too often. */
  readonly isLast: boolean;
  readonly signal: AbortSignal;
  /** Called with the progress of the run, in percent. */
  readonly tell: (percent: number) => void;
  /** Runs `work` with the repository, over a connection of its own: an older one may have been idle for long. */
  readonly withFiles: (work: (files: RepositoryFiles) => Promise<void>) => Promise<void>;
  readonly end: (tx: SiteDb, counters: ImportCounters, isHeldBySafeMode: boolean) => Promise<void>;
}

/**
 * Merges the staged rows into the subscribers and ends the run. A small file is merged in one transaction. A larger one
 * is merged in steps, in the file's order, so that others wait for one step at most. Until the end, readers of many
 * subscribers see them as they were before (fields/merge-state.ts). A merge that was killed between steps continues
 * after the rows that it has written. Time, and the number of steps, grow with the file.
 */
export class Merger {
  readonly #of: Merging;
  #looks = 1;
  #trials = 1;
  #rows: number = stepRows.first;
  /** Times in a row that a step was lost. */
  #lost = 0;
  /** Whether a step was ever lost because another caller inserted subscribers of the file. */
  #isContested = false;
  /** Rows that found nobody when all were matched, and somebody when they were written. */
  #nbFound = 0;
  #isRefused = false;
  #isIndexed = false;
  #forgetBefore: (() => Promise<void>) | undefined;

  constructor(of: Merging) {
    this.#of = of;
  }

  /** @throws ImportCannotStart; what `isWorthRetrying` knows; anything else that need not last. */
  async whole(): Promise<void> {
    const { db, attempt, staging, staged } = this.#of;
    const isCutOff = (await findMerge(db))?.idImport === attempt.idImport;
    // In safe mode a row that is refused late takes the others back, which only one transaction can do.
    const isLarge = staged.counters.nbValidations > maxAtOnce && !staging.settings.safeMode;
    const isInSteps = isCutOff || isLarge;
    const mark = staging.errors.mark();
    try {
      for (;;) {
        try {
          await this.#inTurn((session) => (isInSteps ? this.#inSteps(session) : this.#atOnce(session)));
          return;
        } catch (error) {
          if (!(await this.#isToBeDoneAgain(error, isInSteps))) throw error;
        }
        // The next merge reports its rejected rows again.
        await staging.errors.backTo(mark);
      }
    } finally {
      await this.#forgetBefore?.();
    }
  }

  async #isToBeDoneAgain(error: unknown, isInSteps: boolean): Promise<boolean> {
    const { staging, withFiles, isLast } = this.#of;
    if (error instanceof CellsUnknown && this.#looks++ < maxLooks) {
      await withFiles((files) => lookUpCells({ ...staging, files }, error.rows));
      return true;
    }
    if (isInSteps) return error instanceof RefusedInSteps || (isOfOthers(error) && this.#lost <= maxLost);
    return isOfRows(error, isLast) && this.#trials <= maxTrials && this.#refuse();
  }

  /** Runs one merge on a connection of its own, in the site's turn; aborted when the attempt is to end. */
  async #inTurn(merge: (session: SiteSession) => Promise<void>): Promise<void> {
    const { db, attempt, signal, app } = this.#of;
    await cancellableSession(app, db, signal, async (session) => {
      await takeTurn(session);
      const unfinished = await findMerge(session.db);
      if (unfinished && unfinished.idImport !== attempt.idImport)
        throw new MergeUnfinished(unfinished.idImport);
      await merge(session);
    });
  }

  async #atOnce(session: SiteSession): Promise<void> {
    const { attempt, staging, staged, isLast, tell, end } = this.#of;
    const { idImport } = attempt;
    await session.transaction(async (tx) => {
      if (isLast) await lockOutWriters(tx);
      const counters = await matchRows(tx, staging, staged, undefined);
      tell(progressAt.matched);
      const isHeld = isHeldBySafeMode(staging, counters);
      await countGrowthAs(tx, 'import', idImport);
      const written = isHeld
        ? undefined
        : await writeRows(tx, staging, staged, { of: attempt, nbUpdates: 0 }, () => tell(progressAt.updated));
      const { nbUpdates = 0, nbInserts = 0 } = written ?? {};
      await end(tx, { ...counters, nbUpdates, nbInserts }, isHeld);
    });
  }

  /** Refuses the rows for which a merge at once has failed; false when there are none. */
  async #refuse(): Promise<boolean> {
    const { db, staging, staged, isLast } = this.#of;
    let misfits: Misfits | undefined;
    await this.#inTurn(async (session) => {
      misfits = await onlyTried(session, async (tx) => {
        if (isLast) await lockOutWriters(tx);
        return tryStage(tx, staging, staged, isLast);
      });
    });
    this.#warn(misfits!);
    await markMisfits(db, mergeOf(staging, staged.plan), misfits!, this.#trials++ === maxTrials);
    return misfits!.size > 0;
  }

  #warn(misfits: Misfits): void {
    const { app, db, attempt } = this.#of;
    app.log.warn(
      { rows: misfits.size, idImport: attempt.idImport, site: db.site.name },
      'the table does not take rows that no check has found',
    );
  }

  async #inSteps(session: SiteSession): Promise<void> {
    const { staging, staged, tell, end } = this.#of;
    const unfinished = await findMerge(session.db);
    if (unfinished && unfinished.fileRead !== staging.fileRead)
      throw new ImportCannotStart(
        'The service stopped while the file was merged, and the file has changed since: import it again',
      );
    // Each statement by itself: in one transaction they would keep a new field waiting for all of them.
    const counters = await matchRows(session.db, staging, staged, unfinished);
    tell(progressAt.matched);
    if (!this.#isIndexed) await indexStage(session.db, staging.stage);
    this.#isIndexed = true;
    const last = await indexMatches(session.db);
    let progress = await this.#begun(session, unfinished);
    await noteCounters(session.db, this.#of.attempt, counters);
    this.#nbFound = 0;
    this.#isRefused = false;
    for (;;) {
      const to = await endOfStretch(session.db, progress.mergedTo, this.#rows);
      if (to === null) break;
      progress = (await this.#step(session, progress, to)) ?? progress;
      tell(progressAt.matched + Math.floor((99 - progressAt.matched) * (progress.mergedTo / last)));
    }
    if (this.#isRefused) throw new RefusedInSteps();
    const { nbUpdates, nbInserts } = progress;
    counters.totalUpdates += this.#nbFound;
    counters.totalInserts -= this.#nbFound;
    await session.transaction((tx) => end(tx, { ...counters, nbUpdates, nbInserts }, false));
  }

  /** Begins the steps, or continues with them. */
  async #begun(session: SiteSession, unfinished: MergeProgress | undefined): Promise<MergeProgress> {
    const { db, attempt, staging, staged } = this.#of;
    if (unfinished) {
      if (unfinished.attempt !== attempt.number) await session.transaction((tx) => resumeMerge(tx, attempt));
      return unfinished;
    }
    const before = await keptSnapshot(db);
    this.#forgetBefore = before.letGo;
    const at = this.#of.app.clock.now();
    return session.transaction((tx) =>
      beginMerge(tx, attempt, staging, { plan: staged.plan, snapshot: before.name, at }),
    );
  }

  /** Writes the rows up to `to`; undefined if some were rejected or a retry is due. @throws what `isOfOthers` knows */
  async #step(session: SiteSession, from: MergeProgress, to: number): Promise<MergeProgress | undefined> {
    const { attempt, staging, staged } = this.#of;
    const stretch: Stretch = [from.mergedTo + 1, to];
    const started = performance.now();
    try {
      let nbFound = 0;
      const next = await session.transaction(async (tx) => {
        // The end of the merge makes it last; a step that a crash of PostgreSQL undoes is done again.
        await tx.run(sql`set local synchronous_commit = off`);
        nbFound = await this.#againstOthers(tx, stretch);
        await countGrowthAs(tx, 'import', attempt.idImport);
        const written = await writeRows(tx, staging, staged, {
          ...{ of: attempt, nbUpdates: from.nbUpdates, rows: stretch, since: from.begunAt },
        });
        return advanceMerge(tx, attempt, { to, ...written });
      });
      this.#nbFound += nbFound;
      this.#lost = 0;
      this.#rows = rowsAfter(this.#rows, performance.now() - started);
      return next;
    } catch (error) {
      if (isOfRows(error, this.#isAlone)) return this.#refuseInStep(session, error, stretch);
      return this.#loseStep(error);
    }
  }

  /** Schedules a step again after a conflict; from the second conflict on, all rows are matched again. */
  #loseStep(error: unknown): undefined {
    if (!isOfOthers(error)) throw error;
    // A second matching finds the subscribers that other callers have inserted.
    this.#isContested = true;
    if (this.#lost++ > 0) throw error;
    return undefined;
  }

  get #isAlone(): boolean {
    return this.#lost === maxLost;
  }

  /** Once a step was lost to other writers; how many of its rows find a subscriber now. */
  async #againstOthers(tx: SiteDb, [from, to]: Stretch): Promise<number> {
    const { staging, staged } = this.#of;
    if (this.#isAlone) await lockOutWriters(tx);
    return !this.#isContested ? 0 : matchAgain(tx, mergeOf(staging, staged.plan), within(from, to));
  }

  /** Writes the rows of a step in smaller steps. In a small step, rejects the rows that PostgreSQL does not accept. */
  async #refuseInStep(session: SiteSession, error: unknown, stretch: Stretch): Promise<undefined> {
    const { staging, staged } = this.#of;
    if (this.#rows > stepRows.careful) {
      this.#rows = stepRows.careful;
      return undefined;
    }
    const [from, to] = stretch;
    let misfits: Misfits;
    try {
      misfits = await onlyTried(session, async (tx) => {
        await this.#againstOthers(tx, stretch);
        return tryStage(tx, staging, staged, this.#isAlone, sql`n between ${from} and ${to}`);
      });
    } catch (crossed) {
      return this.#loseStep(crossed);
    }
    if (misfits.size === 0) throw error;
    this.#warn(misfits);
    await session.transaction((tx) => keepMisfits(tx, misfits));
    this.#isRefused = true;
    return undefined;
  }
}

/** Does work in a transaction that leaves nothing. */
async function onlyTried<T>(session: SiteSession, work: (tx: SiteDb) => Promise<T>): Promise<T> {
  let result: T | undefined;
  await session
    .transaction(async (tx) => {
      result = await work(tx);
      throw new OnlyTried();
    })
    .catch((error: unknown) => {
      if (!(error instanceof OnlyTried)) throw error;
    });
  return result!;
}

function rowsAfter(rows: number, ms: number): number {
  const fitting = rows * Math.min(2, Math.max(0.5, stepMs / ms));
  return Math.round(Math.min(stepRows.most, Math.max(stepRows.careful, fitting)));
}

/** Keeps a snapshot of the subscribers readable, under a name of PostgreSQL, until it is released. */
async function keptSnapshot(db: SiteDb): Promise<{ name: string; letGo: () => Promise<void> }> {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let kept: Promise<void> | undefined;
  const name = await new Promise<string>((resolve, reject) => {
    kept = db
      .transaction(async (tx) => {
        const row = await tx.one<{ name: string }>(sql`select pg_export_snapshot() as name`);
        resolve(row.name);
        await ended;
      }, 'repeatable read')
      // Before there is a name; later on, a connection that breaks only makes readers wait for the end of the merge.
      .catch(reject);
  });
  const letGo = async () => {
    end();
    await kept;
  };
  return { name, letGo };
}
