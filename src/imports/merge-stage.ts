import { holdFields } from '../fields/field-store.ts';
import { isDuplicate } from '../platform/db/database.ts';
import { whyRowRefused } from '../platform/db/row-refusal.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { mostKeptOfImport } from '../subscribers/field-change.ts';
import { findMisfits, type Misfits, markKeptMisfits, tryMatched } from '../subscribers/merge-trial.ts';
import { insertUnmatched, updateMatched } from '../subscribers/merge-writing.ts';
import {
  countMatches,
  type Merge,
  matchStage,
  refusedRows,
  within,
} from '../subscribers/subscriber-merge.ts';
import { fileVersion, type ImportCounters } from './import.ts';
import { type RunOfPeople, recordingOf } from './import-people-store.ts';
import { checkFields, FieldsChanged, type ImportPlan } from './import-plan.ts';
import type { MergeProgress, WrittenCounts } from './merge-state-store.ts';
import { RowSet } from './row-set.ts';
import { rowsOf, type Staged, type Staging } from './stage-file.ts';

/** The staging table lost its rows: the file must be read again. */
class StageEmptied extends Error {}

/** The file is no longer the one whose rows were staged. */
class FileChanged extends Error {}

/** Rows are refused whose cells are not at hand: they are to be looked up outside the transaction, which is undone. */
export class CellsUnknown extends Error {
  readonly rows: RowSet;
  constructor(rows: RowSet) {
    super(`The cells of ${rows.size} rejected rows are not known yet`);
    this.rows = rows;
  }
}

/** Shares of a run's progress, in per cent. */
export const progressAt = { read: 40, matched: 60, updated: 80 } as const;

/**
 * Matches the staged rows with the subscribers, adds the rejected ones to the error file, and counts the whole run as
 * if every row were written. Nothing is changed, so it need not be one transaction.
 * @param before counts of what steps of this merge have written
 * @throws CellsUnknown; what `isWorthRetrying` knows, if another caller changes fields in the meantime
 */
export async function matchRows(
  tx: SiteDb,
  of: Staging,
  { plan, counters: read }: Staged,
  before: MergeProgress | undefined,
): Promise<ImportCounters> {
  const { settings } = of;
  const counters = { ...read };
  const merge = mergeOf(of, plan);
  await checkFields(tx, plan);
  if (before) await markKeptMisfits(tx, merge);
  await matchStage(tx, merge, settings);
  const { nbInserts = 0, mergedTo = 0 } = before ?? {};
  const counts = await countMatches(tx, settings.insertEnabled ? mergedTo : 0);
  const staged = counts.refused + counts.updates + counts.inserts;
  // PostgreSQL empties unlogged tables when it recovers: a crash after the COPY must not pass for an empty file.
  if (staged === 0 && read.nbValidations > 0) throw new StageEmptied('The staging table was emptied');
  counters.nbErrorRows += counts.refused;
  counters.nbValidations -= counts.refused;
  counters.totalDuplicateKeys = read.nbValidations - staged;
  // Subscribers that steps have inserted are matched by now.
  counters.totalUpdates = counts.updates - nbInserts;
  counters.totalInserts = counts.inserts + nbInserts;
  if (!settings.insertEnabled) counters.nbForbiddenInserts = counts.inserts;
  if (counts.refused > 0) await reportRefused(tx, of);
  return counters;
}

/** Whether safe mode forbids to write any row. */
export function isHeldBySafeMode({ settings }: Staging, counters: ImportCounters): boolean {
  return settings.safeMode && counters.nbErrorRows + counters.nbBadFormattedRows > 0;
}

/** What a step of a merge writes. */
export interface Step {
  /** The run whose people are recorded. */
  readonly of: RunOfPeople;
  /** Subscribers that earlier steps have changed. */
  readonly nbUpdates: number;
  /** The numbers of the first and the last row. Omitted: all rows. */
  readonly rows?: Stretch;
  /** When the merge began. */
  readonly since?: Date;
}

/** The numbers of the first and the last row of a step. */
export type Stretch = readonly [from: number, to: number];

/** Writes matched rows, keeps what changed and records whose; returns the numbers of people. */
export async function writeRows(
  tx: SiteDb,
  of: Staging,
  { plan }: Staged,
  step: Step,
  updated: () => void = () => undefined,
): Promise<WrittenCounts> {
  const merge = { ...mergeOf(of, plan), leftSince: step.since };
  const recording = {
    ...recordingOf(tx, step.of),
    ...{ idImport: step.of.idImport, mostChanges: mostKeptOfImport - step.nbUpdates },
    which: step.rows ? sql`m.n between ${step.rows[0]} and ${step.rows[1]}` : sql`true`,
  };
  const which = step.rows ? within(...step.rows) : sql`true`;
  const found = await updateMatched(tx, merge, which, recording);
  updated();
  const nbInserts = of.settings.insertEnabled ? await insertUnmatched(tx, merge, which, recording) : 0;
  return { ...found, nbInserts };
}

/** The merge of staged rows. */
export const mergeOf = (of: Staging, plan: ImportPlan): Merge => ({
  stage: of.stage,
  key: plan.key,
  columns: plan.columns.map(({ field }) => field),
  constants: plan.constants,
  keepStatus: of.settings.keepStatus,
  at: of.at,
});

/** Whether a merge failed for rows of the file; a duplicate counts only if there are no other writers. */
export function isOfRows(error: unknown, isAlone: boolean): boolean {
  return whyRowRefused(error) !== undefined && (isAlone || !isDuplicate(error));
}

/**
 * Finds the staged rows that the subscriber table does not take although every check has let them through, inside the
 * caller's transaction, which is to be rolled back.
 * @param stretch a condition on the number `n` of rows that are matched: only those are attempted
 * @throws as `findMisfits`; what `isWorthRetrying` knows.
 */
export async function tryStage(
  tx: SiteDb,
  of: Staging,
  { plan }: Staged,
  isAlone: boolean,
  stretch?: Sql,
): Promise<Misfits> {
  const merge = mergeOf(of, plan);
  const options = { insertEnabled: of.settings.insertEnabled, isAlone };
  await checkFields(tx, plan);
  return stretch ? tryMatched(tx, merge, options, stretch) : findMisfits(tx, merge, options);
}

/**
 * Adds all rows that the database rejects, with their cells, to the error file. Memory holds a bit for each and one
 * page of them. Time grows with their number: they are read twice, about 2 µs each, and written to the error file. If
 * their cells are not at hand yet, the file is read a second time, and the matching is rolled back. An import of a
 * million rows that were all rejected here took 29 s and 266 MB, 130 of which are the process with its compiler.
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
  await checkUnchanged(of);
  if (!(await of.refused.fill(rows, rowsOf(of)))) throw new FileChanged('Rows are missing from the file');
}

/** @throws FileChanged if the file is not the one whose rows were staged */
export async function checkUnchanged({ files, settings, fileRead }: Staging): Promise<void> {
  if (fileVersion(await files.stat(settings.filename)) !== fileRead)
    throw new FileChanged('The file changed');
}

/** Whether an import that failed so can succeed when it is done again at once. */
export function isWorthRetrying(error: unknown): boolean {
  return [FieldsChanged, StageEmptied, FileChanged].some((one) => error instanceof one) || isOfOthers(error);
}

/** Whether a merge failed because another caller has written the same: it is to be matched again. */
export function isOfOthers(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === '23505' || code === '40P01' || code === '40001';
}

/** Keeps other writers out, for the last attempt of a losing merge. The caller holds the site's turn (`takeTurn`). */
export async function lockOutWriters(tx: SiteDb): Promise<void> {
  await holdFields(tx);
  await tx.run(sql`lock table ${tx.t.subscriber} in share row exclusive mode`);
}
