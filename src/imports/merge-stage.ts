import { isDeepStrictEqual } from 'node:util';
import { holdFields } from '../fields/field-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import {
  countMatches,
  insertUnmatched,
  type Merge,
  matchStage,
  refusedRows,
  takeTurn,
  updateMatched,
} from '../subscribers/subscriber-merge.ts';
import type { ImportCounters } from './import.ts';
import type { ImportPlan } from './import-plan.ts';
import { errorFileName } from './import-settings.ts';
import { rowsOfNumbers, type Staging } from './stage-file.ts';

/** A field changed while the file was read: the rows must be read again by the new rules. */
class FieldsChanged extends Error {}

/** The staging table lost its rows: the file must be read again. */
class StageEmptied extends Error {}

/** Rows refused in the database whose cells are looked up again for the error file. */
const maxLookedUp = 100_000;

/** Shares of a run's progress, in per cent. */
export const progressAt = { read: 40, matched: 60, updated: 80 } as const;

/**
 * Merges the staged rows into the subscribers, inside the caller's transaction; the counters of the whole run.
 * @throws what `isWorthRetrying` knows, when somebody else writes the same rows or fields meanwhile.
 */
export async function mergeStage(
  tx: SiteDb,
  of: Staging,
  plan: ImportPlan,
  read: ImportCounters,
  progress: (percent: number) => void,
): Promise<ImportCounters> {
  const { settings, errors } = of;
  const counters = { ...read };
  const merge: Merge = {
    stage: of.stage,
    key: plan.key,
    columns: plan.columns.map(({ field }) => field),
    constants: plan.constants,
    keepStatus: settings.keepStatus,
    at: of.at,
  };
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
  await errors.putInto(of.files, errorFileName(settings.filename));
  progress(progressAt.matched);
  if (!settings.insertEnabled) counters.nbForbiddenInserts = counts.inserts;
  if (settings.safeMode && counters.nbErrorRows + counters.nbBadFormattedRows > 0) return counters;
  if (counts.updates > 0) counters.nbUpdates = await updateMatched(tx, merge);
  progress(progressAt.updated);
  if (settings.insertEnabled && counts.inserts > 0) counters.nbInserts = await insertUnmatched(tx, merge);
  return counters;
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

async function reportRefused(tx: SiteDb, of: Staging): Promise<void> {
  const reasons = new Map((await refusedRows(tx, maxLookedUp)).map(({ n, reason }) => [n, reason]));
  for await (const { line, cells } of rowsOfNumbers(of, new Set(reasons.keys()))) {
    await of.errors.add(line, reasons.get(line) ?? '', cells);
  }
}

/** Whether an import that failed so can succeed when it is done again at once. */
export function isWorthRetrying(error: unknown): boolean {
  if (error instanceof FieldsChanged || error instanceof StageEmptied) return true;
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
