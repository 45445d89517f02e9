import { isDeepStrictEqual } from 'node:util';
import { holdFields } from '../fields/field-store.ts';
import { isDuplicate } from '../platform/db/database.ts';
import { whyRowRefused } from '../platform/db/row-refusal.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { findMisfits, type Misfits, markMisfits } from '../subscribers/merge-trial.ts';
import {
  countMatches,
  insertUnmatched,
  type Merge,
  matchStage,
  refusedRows,
  takeTurn,
  updateMatched,
} from '../subscribers/subscriber-merge.ts';
import { fileVersion, type ImportCounters } from './import.ts';
import type { ImportPlan } from './import-plan.ts';
import { RowSet } from './row-set.ts';
import { rowsOf, type Staging } from './stage-file.ts';

/** A field changed while the file was read: the rows must be read again by the new rules. */
class FieldsChanged extends Error {}

/** The staging table lost its rows: the file must be read again. */
class StageEmptied extends Error {}

/** The file is not the one any more whose rows were staged. */
class FileChanged extends Error {}

/** Rows are refused whose cells are not at hand: they are to be looked up outside the transaction, which is undone. */
export class CellsUnknown extends Error {
  readonly rows: RowSet;
  constructor(rows: RowSet) {
    super(`The cells of ${rows.size} refused rows are not known yet`);
    this.rows = rows;
  }
}

/** Shares of a run's progress, in per cent. */
export const progressAt = { read: 40, matched: 60, updated: 80 } as const;

/**
 * Merges the staged rows into the subscribers, inside the caller's transaction; the counters of the whole run. Nobody
 * outside is waited for: other imports wait for this transaction.
 * @throws CellsUnknown before anything is changed; what `isWorthRetrying` knows, when somebody else writes the same
 *   rows or fields meanwhile.
 */
export async function mergeStage(
  tx: SiteDb,
  of: Staging,
  plan: ImportPlan,
  read: ImportCounters,
  progress: (percent: number) => void,
): Promise<ImportCounters> {
  const { settings } = of;
  const counters = { ...read };
  const merge = mergeOf(of, plan);
  await checkFields(tx, merge);
  await matchStage(tx, merge, settings);
  const counts = await countMatches(tx);
  const staged = counts.refused + counts.updates + counts.inserts;
  // PostgreSQL empties unlogged tables when it recovers: a crash after the COPY must not pass for an empty file.
  if (staged === 0 && read.nbValidations > 0) throw new StageEmptied('The staging table was emptied');
  counters.nbErrorRows += counts.refused;
  counters.nbValidations -= counts.refused;
  counters.totalDuplicateKeys = read.nbValidations - staged;
  counters.totalUpdates = counts.updates;
  counters.totalInserts = counts.inserts;
  if (counts.refused > 0) await reportRefused(tx, of);
  progress(progressAt.matched);
  if (!settings.insertEnabled) counters.nbForbiddenInserts = counts.inserts;
  if (settings.safeMode && counters.nbErrorRows + counters.nbBadFormattedRows > 0) return counters;
  if (counts.updates > 0) counters.nbUpdates = await updateMatched(tx, merge);
  progress(progressAt.updated);
  if (settings.insertEnabled && counts.inserts > 0) counters.nbInserts = await insertUnmatched(tx, merge);
  return counters;
}

const mergeOf = (of: Staging, plan: ImportPlan): Merge => ({
  stage: of.stage,
  key: plan.key,
  columns: plan.columns.map(({ field }) => field),
  constants: plan.constants,
  keepStatus: of.settings.keepStatus,
  at: of.at,
});

/** Whether a merge failed for rows of the file; a duplicate is one of them only when nobody else writes meanwhile. */
export function isOfRows(error: unknown, isAlone: boolean): boolean {
  return whyRowRefused(error) !== undefined && (isAlone || !isDuplicate(error));
}

/**
 * Finds the staged rows that the subscriber table does not take although every check has let them through, inside the
 * caller's transaction, which is to be rolled back.
 * @throws as `findMisfits`; what `isWorthRetrying` knows.
 */
export async function tryStage(
  tx: SiteDb,
  of: Staging,
  plan: ImportPlan,
  isAlone: boolean,
): Promise<Misfits> {
  const merge = mergeOf(of, plan);
  await checkFields(tx, merge);
  return findMisfits(tx, merge, { insertEnabled: of.settings.insertEnabled, isAlone });
}

/** From here on merges refuse these rows; `isWhole`: and all others of their keys. */
export async function refuseMisfits(
  db: SiteDb,
  of: Staging,
  plan: ImportPlan,
  misfits: Misfits,
  isWhole: boolean,
): Promise<void> {
  await markMisfits(db, mergeOf(of, plan), misfits, isWhole);
}

/** Holds the fields as the rows were read by; from here on a change of a field waits for the transaction's end. */
async function checkFields(tx: SiteDb, { columns, constants }: Merge): Promise<void> {
  const known = new Map((await holdFields(tx)).map((field) => [field.id, field]));
  for (const field of [...columns, ...constants.map((one) => one.field)]) {
    const now = known.get(field.id);
    const rules = (one: typeof field | undefined) => [one?.fieldType, one?.length, one?.list];
    if (!isDeepStrictEqual(rules(now), rules(field)))
      throw new FieldsChanged(`Field ${field.id} has changed`);
  }
}

/**
 * All rows that the database refuses, with their cells, for the error file. Memory holds a bit for each and one page of
 * them. Time grows with them: they are read twice, some 2 µs each, and written to the error file; when their cells are
 * not at hand yet, the file is read a second time, and the matching, which is undone, was in vain. An import of a
 * million rows that all were refused here took 29 s and 266 MB, of which 130 are the process with its compiler.
 */
async function reportRefused(tx: SiteDb, { errors, refused }: Staging): Promise<void> {
  const unknown = new RowSet();
  for await (const page of refusedRows(tx)) for (const { n } of page) if (!refused.has(n)) unknown.add(n);
  if (unknown.size > 0) throw new CellsUnknown(unknown);
  const cellsOf = refused.lookUp();
  for await (const page of refusedRows(tx))
    for (const { n, reason } of page) await errors.add(n, reason, await cellsOf(n));
}

/** Reads the file again for the cells of these rows. */
export async function lookUpCells(of: Staging, rows: RowSet): Promise<void> {
  const { files, settings, refused, fileRead } = of;
  if (fileVersion(await files.stat(settings.filename)) !== fileRead)
    throw new FileChanged('The file changed');
  if (!(await refused.fill(rows, rowsOf(of)))) throw new FileChanged('Rows are gone from the file');
}

/** Whether an import that failed so can succeed when it is done again at once. */
export function isWorthRetrying(error: unknown): boolean {
  if ([FieldsChanged, StageEmptied, FileChanged].some((one) => error instanceof one)) return true;
  const { code } = error as { code?: string };
  return code === '23505' || code === '40P01' || code === '40001';
}

/**
 * Keeps other writers of subscribers out until the transaction ends: for the last try of a merge that keeps losing.
 * Order: as a merge takes them, fields, turn, subscribers; the other way round another merge would wait for this one's
 * table while this one waits for its turn.
 */
export async function lockOutWriters(tx: SiteDb): Promise<void> {
  await holdFields(tx);
  await takeTurn(tx);
  await tx.run(sql`lock table ${tx.t.subscriber} in share row exclusive mode`);
}
