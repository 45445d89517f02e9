import type { Logger } from 'pino';
import type { App } from './app.ts';
import type { Connection } from './db/database.ts';
import { sql } from './db/sql.ts';
import type { Task, TaskPayload } from './tasks.ts';

interface FailedTask {
  readonly id: string;
  readonly task: string;
  readonly payload: TaskPayload;
  readonly attempts: number;
  readonly error: string | null;
}

// A job that a process holds is not failed yet, even at its last attempt.
const failed = sql`
  from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
  where j.attempts >= j.max_attempts and j.locked_at is null`;

/** Counts the queued tasks that used up their attempts, by task. */
export async function countFailedTasks(control: Connection): Promise<{ task: string; count: number }[]> {
  return control.rows(sql`select t.identifier as task, count(*) as count ${failed} group by 1 order by 1`);
}

const pageSize = 100;

/** Passes jobs without attempts left to their task's `gaveUp`, and removes them. Polls: a kill reports nothing. */
export async function giveUpFailedTasks(app: App, tasks: readonly Task<never>[], log: Logger): Promise<void> {
  const resigning = new Map(tasks.filter((task) => task.gaveUp).map((task) => [task.name, task]));
  const names = [...resigning.keys()];
  let after = '0';
  for (;;) {
    const jobs = await app.control.rows<FailedTask>(sql`
      select j.id::text, t.identifier as task, j.payload, j.attempts, j.last_error as error ${failed}
        and t.identifier = any(${names}::text[]) and j.id > ${after}::bigint order by j.id limit ${pageSize}`);
    for (const job of jobs) await giveUp(app, job, resigning.get(job.task), log);
    if (jobs.length < pageSize) return;
    // On behind the last one: those that cannot be given up stay, and must not fill the page for ever.
    after = jobs.at(-1)!.id;
  }
}

async function giveUp(app: App, job: FailedTask, of: Task<never> | undefined, log: Logger): Promise<void> {
  const { id, task, payload, attempts, error } = job;
  try {
    // What was added under a task's name is that task's payload: addTask checks it by type.
    await of?.gaveUp?.(app, payload as never);
    await app.control.run(sql`select graphile_worker.complete_jobs(${[id]}::bigint[])`);
    log.error({ task, payload, attempts, error }, 'job given up');
  } catch (err) {
    // It stays in the queue for the next look, and must not keep the others from theirs.
    log.warn({ task, payload, err }, 'job not given up');
  }
}
