import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { forgetMisfits } from '../subscribers/merge-trial.ts';
import type { ImportCounters } from './import.ts';
import { checkFields, type ImportPlan } from './import-plan.ts';
import { type Attempt, lockAttempt, supersededImport } from './import-store.ts';
import type { Staging } from './stage-file.ts';

/** Counts of the subscribers that a merge has changed, added and left as they are. */
export type WrittenCounts = Readonly<Record<'nbUpdates' | 'nbInserts' | 'nbUnchanged', number>>;

/** Progress of a merge in steps. For concurrent readers of many subscribers, see fields/merge-state.ts. */
export interface MergeProgress extends WrittenCounts {
  readonly attempt: number;
  /** The result of `fileVersion` when the merge began. */
  readonly fileRead: string | null;
  /** Rows of the file up to this one are written. */
  readonly mergedTo: number;
  readonly begunAt: Date;
}

/** Another import was cut off in its steps. */
export class MergeUnfinished extends Error {
  constructor(idImport: number) {
    super(
      `Import ${idImport} was cut off while its rows were written to the subscribers; it is finished first`,
    );
  }
}

const columns = sql`attempt, file_read as "fileRead", merged_to as "mergedTo", nb_updates as "nbUpdates",
  nb_inserts as "nbInserts", nb_unchanged as "nbUnchanged", begun_at as "begunAt"`;

/** The merge in steps that has not ended, with its import. */
export async function findMerge(db: SiteDb): Promise<(MergeProgress & { idImport: number }) | undefined> {
  return db.first(sql`
    select id_import as "idImport", ${columns} from ${db.t.merge_state} where id_import is not null`);
}

/**
 * Begins a merge in steps. Lock: of the fields' definitions, for an instant, so that a change of them either is seen
 * or sees the merge.
 * @param snapshot PostgreSQL's name of the subscribers as they are now
 * @param at anyone who unsubscribes from then on stays so
 * @throws Superseded; as `checkFields`
 */
export async function beginMerge(
  tx: SiteDb,
  attempt: Attempt,
  { fileRead }: Staging,
  { plan, snapshot, at }: { readonly plan: ImportPlan; readonly snapshot: string; readonly at: Date },
): Promise<MergeProgress> {
  await lockAttempt(tx, attempt);
  await tx.run(sql`lock table ${tx.t.field} in share mode`);
  await checkFields(tx, plan);
  await forgetMisfits(tx);
  return tx.one<MergeProgress>(sql`
    update ${tx.t.merge_state}
    set version = version + 1, id_import = ${attempt.idImport}, attempt = ${attempt.number}, file_read = ${fileRead},
        merged_to = 0, nb_updates = 0, nb_inserts = 0, nb_unchanged = 0, counters = null, begun_at = ${at},
        snapshot = ${snapshot}, server_started_at = pg_postmaster_start_time()
    returning ${columns}`);
}

/** Resumes a merge whose attempt was interrupted. @throws Superseded */
export async function resumeMerge(tx: SiteDb, attempt: Attempt): Promise<void> {
  await lockAttempt(tx, attempt);
  await tx.run(sql`
    update ${tx.t.merge_state} set attempt = ${attempt.number}, snapshot = null
    where id_import = ${attempt.idImport}`);
}

/** Notes what the whole file has, for whoever watches the import. */
export async function noteCounters(db: SiteDb, attempt: Attempt, counters: ImportCounters): Promise<void> {
  await db.run(sql`
    update ${db.t.merge_state} set counters = ${JSON.stringify(counters)}
    where id_import = ${attempt.idImport} and attempt = ${attempt.number}`);
}

/** Notes a step, in its transaction. @throws Superseded when another attempt continues with the merge */
export async function advanceMerge(
  tx: SiteDb,
  attempt: Attempt,
  step: { readonly to: number } & WrittenCounts,
): Promise<MergeProgress> {
  const row = await tx.first<MergeProgress>(sql`
    update ${tx.t.merge_state}
    set merged_to = ${step.to}, nb_updates = nb_updates + ${step.nbUpdates},
        nb_inserts = nb_inserts + ${step.nbInserts}, nb_unchanged = nb_unchanged + ${step.nbUnchanged}
    where id_import = ${attempt.idImport} and attempt = ${attempt.number} returning ${columns}`);
  if (!row) throw supersededImport(attempt);
  return row;
}

/** Ends the merge of an import, in the transaction of the run's end; what it had done, where it was one in steps. */
export async function endMerge(tx: SiteDb, idImport: number): Promise<MergeProgress | undefined> {
  const row = await tx.first<MergeProgress>(sql`
    update ${tx.t.merge_state} set id_import = null, snapshot = null
    where id_import = ${idImport} returning ${columns}`);
  if (row) await forgetMisfits(tx);
  return row;
}
