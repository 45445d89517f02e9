import { lockFiles } from '../files/file-lock.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { found } from '../platform/http/refusal.ts';
import { inOrder } from '../platform/http/schema.ts';
import { latestRun, nextRun } from '../platform/recurrence.ts';
import { Superseded } from '../platform/retried-run.ts';
import { type Import, ImportLog, type ImportParameters, inFull } from './import.ts';
import { forgetPeople } from './import-people-store.ts';
import {
  ImportRecurringInfos,
  type PlannedImport,
  readRecurrence,
  type Scheduling,
} from './import-schedule.ts';
import { checkAct, type ImportAct, type ImportState } from './import-state.ts';

export interface StoredImport {
  readonly id: number;
  readonly parameters: ImportParameters;
  readonly createdAt: Date;
  readonly state: ImportState;
  readonly isDeleted: boolean;
  readonly deletedAt: Date | null;
  readonly scheduling: Scheduling;
  /** When the run takes place, or was to, whose number `run` is. */
  readonly scheduledAt: Date;
  readonly run: number;
  readonly attempt: number;
  readonly startedAt: Date | null;
  readonly missedSince: Date | null;
  /** Why the last attempt failed, where another one follows. */
  readonly trouble: string | null;
}

const importColumns = sql`i.id, i.parameters, i.created_at as "createdAt", i.state, i.is_deleted as "isDeleted",
  i.deleted_at as "deletedAt", i.scheduling, i.scheduled_at as "scheduledAt", i.run, i.attempt,
  i.started_at as "startedAt", i.missed_since as "missedSince", i.trouble`;

/** The log from `l`, with the state of its error file, which is settled later than the rest. */
export const shownLog = sql`case
  when l.errors_file is not null then ${withMessage(sql`'The file of rejected rows is not written yet'`)}
  when l.errors_lost is not null
    then ${withMessage(sql`'The file of rejected rows could not be written: ' || l.errors_lost`)}
  else l.log end`;

function withMessage(text: Sql): Sql {
  return sql`jsonb_set(l.log, '{errorMessage}', to_jsonb(concat_ws('. ', l.log ->> 'errorMessage', ${text})))`;
}

/** For a select from `i`: its last log, as `log.id` and `log.log`. */
export const lastLogOf = (db: SiteDb) => sql`
  left join lateral (
    select l.id, ${shownLog} as log from ${db.t.import_log} l
    where l.id_import = i.id order by l.run desc limit 1) log on true`;

interface WithLastLog extends StoredImport {
  readonly idLog: number | null;
  readonly log: Omit<ImportLog, 'id'> | null;
}

function shown(row: WithLastLog): Import {
  const { isRecurring, recurringInfos } = row.scheduling;
  const scheduledDate = row.scheduledAt.toISOString();
  return {
    id: row.id,
    parameters: inFull(row.parameters),
    creationDate: row.createdAt.toISOString(),
    importState: row.state,
    isDeleted: row.isDeleted,
    deletionDate: row.deletedAt?.toISOString() ?? null,
    schedulingInfos:
      isRecurring === undefined
        ? { scheduledDate }
        : {
            isRecurring,
            scheduledDate,
            recurringInfos: recurringInfos ? inOrder(ImportRecurringInfos, recurringInfos) : null,
          },
    lastImportLog: row.log && inOrder(ImportLog, { id: row.idLog!, ...row.log }),
  };
}

export async function findImport(db: SiteDb, id: number): Promise<Import | undefined> {
  const row = await db.first<WithLastLog>(sql`
    select ${importColumns}, log.id as "idLog", log.log
    from ${db.t.import} i ${lastLogOf(db)} where i.id = ${id}`);
  return row && shown(row);
}

/** The version of an import: another one after each change of its row. */
export const versionOfImport = (db: SiteDb, id: number, isLocked: boolean): Promise<string | undefined> =>
  db.version(sql`from ${db.t.import} where id = ${id}`, isLocked);

/** Lock: of the import's row, until the transaction ends. */
async function lockImport(tx: SiteDb, id: number): Promise<StoredImport | undefined> {
  return tx.first<StoredImport>(sql`
    select ${importColumns} from ${tx.t.import} i where i.id = ${id} for update`);
}

/** Locks an import's row for a user's action. @throws 404, 409 if its status does not allow the action */
export async function lockForAct(tx: SiteDb, id: number, act: ImportAct): Promise<StoredImport> {
  const of = found(await lockImport(tx, id), 'Import');
  checkAct(of.isDeleted ? 'Deleted' : of.state, act);
  return of;
}

export interface NewImport {
  readonly idUser: number;
  readonly author: string;
  readonly parameters: ImportParameters;
  readonly scheduledAt: Date;
  readonly scheduling?: Scheduling;
  readonly at: Date;
}

export async function insertImport(tx: SiteDb, of: NewImport): Promise<Import> {
  await lockFiles(tx, 'need');
  const row = await tx.one<StoredImport>(sql`
    insert into ${tx.t.import} as i (id_user, author, parameters, created_at, state, scheduling, scheduled_at)
    values (${of.idUser}, ${of.author}, ${JSON.stringify(of.parameters)}, ${of.at}, 'Scheduled',
            ${JSON.stringify(of.scheduling ?? {})}, ${of.scheduledAt})
    returning ${importColumns}`);
  return shown({ ...row, idLog: null, log: null });
}

/** Pauses an import whose row is locked. An attempt that is running notices it, and can no longer end. */
export async function pauseImportRow(tx: SiteDb, id: number): Promise<void> {
  await tx.run(sql`update ${tx.t.import} set state = 'Paused' where id = ${id}`);
}

/** Plans the run of a locked import again, under a new number, so that jobs of the old plan find nothing to do. */
export async function replanImport(tx: SiteDb, id: number, scheduledAt: Date): Promise<number> {
  return tx.value<number>(sql`
    update ${tx.t.import}
    set state = 'Scheduled', scheduled_at = ${scheduledAt}, run = run + 1, progression = 0, trouble = null,
        failing_since = null
    where id = ${id} returning run`);
}

/**
 * Gives a locked import another schedule, under a new number of its run, so that jobs of the old one find nothing to
 * do. A run that a pause interrupted is not done again. The state stays.
 */
export async function setImportSchedule(
  tx: SiteDb,
  id: number,
  { scheduledAt, scheduling }: PlannedImport,
): Promise<number> {
  return tx.value<number>(sql`
    update ${tx.t.import}
    set scheduling = ${JSON.stringify(scheduling)}, scheduled_at = ${scheduledAt}, run = run + 1, progression = 0,
        started_at = null, missed_since = null, trouble = null, failing_since = null
    where id = ${id} returning run`);
}

/** Marks an import as deleted whose row is locked, and forgets its people; its logs stay. */
export async function deleteImportRow(tx: SiteDb, id: number, at: Date): Promise<void> {
  await forgetPeople(tx, id);
  await tx.run(sql`update ${tx.t.import} set is_deleted = true, deleted_at = ${at} where id = ${id}`);
}

/** One attempt of one run. Its writes count only until a later attempt begins. */
export interface Attempt {
  readonly idImport: number;
  readonly run: number;
  readonly number: number;
}

/** Returns the error that ends an attempt without a result. */
export const supersededImport = ({ idImport, number }: Attempt): Superseded =>
  new Superseded(`Import ${idImport} was paused, or begun again after attempt ${number}`);

/**
 * Begins an attempt of a run. If a recurring import missed several runs, only the last one is done; the row says from
 * which one on they were skipped.
 * @returns undefined if there is nothing to do: the run has ended, was planned again, or the import was paused
 */
export async function beginAttempt(
  tx: SiteDb,
  idImport: number,
  run: number,
  now: Date,
): Promise<{ attempt: Attempt; of: StoredImport } | undefined> {
  const row = await lockImport(tx, idImport);
  const isDue = row && !row.isDeleted && row.run === run && ['Scheduled', 'InProgress'].includes(row.state);
  if (!isDue) return undefined;
  // A recurring import needs its file from now on.
  await lockFiles(tx, 'need');
  const { recurringInfos } = row.scheduling;
  // A run that had begun keeps its time, and with it the name of its file.
  const latest =
    recurringInfos && !row.startedAt
      ? latestRun(readRecurrence(recurringInfos), row.scheduledAt, now)
      : row.scheduledAt;
  const missedSince = latest > row.scheduledAt ? row.scheduledAt : row.missedSince;
  const of = await tx.one<StoredImport>(sql`
    update ${tx.t.import} i
    set state = 'InProgress', progression = 0, attempt = attempt + 1, started_at = ${now}, scheduled_at = ${latest},
        missed_since = ${missedSince}
    where id = ${idImport} returning ${importColumns}`);
  return { attempt: { idImport, run, number: of.attempt }, of };
}

/** Lock: of the import's row. @throws Superseded when the attempt no longer counts */
export async function lockAttempt(tx: SiteDb, attempt: Attempt): Promise<StoredImport> {
  const row = await lockImport(tx, attempt.idImport);
  if (row?.state !== 'InProgress' || row.attempt !== attempt.number) throw supersededImport(attempt);
  return row;
}

/** Records an attempt's progress in percent. Returns false if a newer attempt has replaced it. */
export async function setProgression(db: SiteDb, attempt: Attempt, percent: number): Promise<boolean> {
  return db.touches(sql`
    update ${db.t.import} set progression = ${percent}
    where id = ${attempt.idImport} and attempt = ${attempt.number} and state = 'InProgress'`);
}

/** Records why an attempt failed. @returns since when the run has failed; undefined if the attempt is superseded */
export async function noteTrouble(
  tx: SiteDb,
  attempt: Attempt,
  trouble: string,
  now: Date,
): Promise<Date | undefined> {
  const noted = await tx.first<{ since: Date }>(sql`
    update ${tx.t.import} set trouble = ${trouble}, failing_since = coalesce(failing_since, ${now})
    where id = ${attempt.idImport} and attempt = ${attempt.number} and state = 'InProgress'
    returning failing_since as since`);
  return noted?.since;
}

export interface RunEnd {
  readonly state: 'Completed' | 'PackageErrorCreation';
  readonly log: Omit<ImportLog, 'id'>;
  /** The result of `fileVersion` for the imported file. */
  readonly fileRead: string | null;
  /** The repository that it was read from; none when the run did not get so far. */
  readonly idRepository?: number | null;
  /** The file of rejected rows in `errorsFolder`, which is to be delivered. */
  readonly errorsFile?: string | null;
}

/**
 * Writes a run's log and plans the next run of a recurring import, in the transaction of the merge, so that everything
 * is stored or nothing. At most one of several attempts gets here.
 * @throws Superseded if the attempt is superseded
 */
export async function endRun(tx: SiteDb, attempt: Attempt, end: RunEnd, now: Date) {
  const row = await lockAttempt(tx, attempt);
  const idLog = await tx.value<number>(sql`
    insert into ${tx.t.import_log} (id_import, run, state, log, ended_at, file_read, missed_since, errors_file,
                                    id_repository)
    values (${row.id}, ${row.run}, ${end.state}, ${JSON.stringify(end.log)}, ${now}, ${end.fileRead},
            ${row.missedSince}, ${end.errorsFile ?? null}, ${end.idRepository ?? null})
    returning id`);
  const next = afterRun(row, now);
  await tx.run(sql`
    update ${tx.t.import}
    set state = ${next ? 'Scheduled' : end.state}, progression = ${next ? 0 : 100}, run = run + ${next ? 1 : 0}::int,
        scheduled_at = ${next ?? row.scheduledAt}, started_at = null, missed_since = null, trouble = null,
        failing_since = null
    where id = ${row.id}`);
  return { idLog, next: next && { run: row.run + 1, at: next } };
}

function afterRun({ scheduling, scheduledAt }: StoredImport, now: Date): Date | undefined {
  const { recurringInfos } = scheduling;
  if (!recurringInfos) return undefined;
  return nextRun(readRecurrence(recurringInfos), new Date(Math.max(scheduledAt.getTime(), now.getTime())));
}
