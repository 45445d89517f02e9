import type { TaskSpec } from 'graphile-worker';
import type { App } from './app.ts';
import type { Connection } from './db/database.ts';
import { type Sql, sql } from './db/sql.ts';

/** Payload of a task: identifiers only, never data. The task rereads the truth. */
export type TaskPayload = Readonly<Record<string, number | string | null | undefined>>;

/** Background work by name. `run` must be idempotent and may overlap. `cron` (crontab line, UTC) starts it too. */
export interface Task<P extends TaskPayload = TaskPayload> {
  readonly name: string;
  readonly cron?: string;
  /** Tries before a job is given up; 25, which take four days, if omitted. */
  readonly maxAttempts?: number;
  run(app: App, payload: P, signal: AbortSignal): Promise<void>;
  /** Runs after a job used up its attempts, so that nothing waits for it for ever; must be idempotent. */
  gaveUp?(app: App, payload: P): Promise<void>;
}

/** Declares a task; the payload's type is checked where it is added. */
export function task<P extends TaskPayload>(declared: Task<P>): Task<P> {
  return declared;
}

/** Adds a task with the caller's transaction. `jobKey` replaces an unstarted one; `queueName` runs tasks one by one. */
export async function addTask<P extends TaskPayload>(
  tx: Connection,
  of: Pick<Task<P>, 'name' | 'maxAttempts'> & Partial<Pick<Task<P>, 'run'>>,
  payload: P,
  spec: Pick<TaskSpec, 'runAt' | 'jobKey' | 'queueName' | 'jobKeyMode'> = {},
): Promise<void> {
  await tx.run(sql`
    select graphile_worker.add_job(
      ${of.name}, payload => ${JSON.stringify(payload)}::json, queue_name => ${spec.queueName ?? null},
      run_at => ${spec.runAt ?? null}, max_attempts => ${of.maxAttempts ?? 25},
      job_key => ${spec.jobKey ?? null}, job_key_mode => ${spec.jobKeyMode ?? 'replace'})`);
}

/**
 * A `from` item: the payloads (jsonb) of a task's jobs that are still to finish: queued, running, or parked until a
 * permit is free (task-permits.ts). A job that used up its attempts counts only if its task has a `gaveUp`.
 */
export const queuedTasks = (of: Pick<Task<never>, 'name' | 'gaveUp'>): Sql => sql`(
  select j.payload::jsonb as payload
  from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
  where t.identifier = ${of.name}
    and (j.attempts < j.max_attempts or j.locked_at is not null or ${of.gaveUp !== undefined}::boolean)
  union all
  select payload from facteur.waiting_job where task = ${of.name})`;
