import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import {
  Logger as GraphileLogger,
  type Runner,
  run,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker';
import type { Logger } from 'pino';
import type { App } from './app.ts';
import { giveUpFailedTasks } from './failed-tasks.ts';
import { TaskWorkers } from './task-workers.ts';
import type { Task } from './tasks.ts';

const concurrency = 8;
/** Jobs that are due later are found by looking, at most this long after their time. */
const pollMs = 1_000;
const tendMs = 5_000;

export interface TaskRunner {
  /** Takes no more jobs, asks the running ones to end (their signal aborts after a second), and waits for them. */
  stop(): Promise<void>;
}

/** Runs the tasks' jobs until it is stopped, over losses of the database as well. */
export async function startTaskRunner(app: App, tasks: readonly Task<never>[]): Promise<TaskRunner> {
  const log = app.log.child({ part: 'jobs' });
  const workers = new TaskWorkers(app.control);
  // Before any job is taken: what a killed process left behind.
  const found = await workers.tend();
  if (found > 0) log.info({ workers: found }, 'jobs of ended processes given back to the queue');
  let stopping = false;
  let runner = await startRunner(app, tasks, workers, log);

  const tending = setInterval(() => {
    workers.tend().catch((error) => log.warn({ err: error }, 'could not look for ended processes'));
    giveUpFailedTasks(app, tasks, log).catch((error) => log.warn({ err: error }, 'failed jobs not given up'));
  }, tendMs);
  tending.unref();

  const watched = (async () => {
    while (!stopping) {
      // The runner gives up after some errors in a row, when the database stays unavailable.
      await runner.promise.catch((error) => log.warn({ err: error }, 'job runner ended'));
      if (stopping) return;
      await pause(1_000);
      try {
        // Jobs of a failed runner: the next one has another name and would not touch them.
        await workers.release();
        runner = await startRunner(app, tasks, workers, log);
      } catch (error) {
        log.warn({ err: error }, 'job runner did not start');
      }
    }
    // A runner that was started during the stop.
    await runner.stop().catch(() => undefined);
  })();

  return {
    async stop() {
      stopping = true;
      clearInterval(tending);
      await runner.stop().catch(() => undefined);
      await watched;
      await workers.close();
    },
  };
}

async function startRunner(
  app: App,
  tasks: readonly Task<never>[],
  workers: TaskWorkers,
  log: Logger,
): Promise<Runner> {
  const taskList: TaskList = {};
  for (const task of tasks) {
    // What was added under a task's name is that task's payload: addTask checks it by type.
    taskList[task.name] = (payload, { abortSignal }) => task.run(app, payload as never, abortSignal);
  }
  const events: WorkerEvents = new EventEmitter();
  // Jobs are locked by the pool's id, not by that of one of its workers.
  events.on('pool:create', ({ workerPool }) => {
    workers.register(workerPool.id).catch((error) => log.warn({ err: error }, 'worker not registered'));
  });
  events.on('job:failed', ({ job: { id, task_identifier: task, payload, attempts }, error }) => {
    log.error({ id, task, payload, attempts, err: error }, 'job failed at its last attempt');
  });
  return run({
    pgPool: app.control.pool,
    taskList,
    crontab: tasks.flatMap((task) => (task.cron ? [`${task.cron} ${task.name}`] : [])).join('\n'),
    concurrency,
    pollInterval: pollMs,
    // In batches, even of one: only then is a job whose end cannot be written an error of the runner, which starts
    // again. Otherwise it is a rejection that nobody handles, and the process ends with PostgreSQL's restart.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    gracefulShutdownAbortTimeout: 1_000,
    noHandleSignals: true,
    events,
    logger: new GraphileLogger((scope) => (level, message, meta) => {
      // Its information is about every job; that is our debugging.
      const ours = level === 'info' ? 'debug' : level === 'warning' ? 'warn' : level;
      const error = meta?.error;
      log[ours]({ ...scope, ...(error instanceof Error && { err: error }) }, message);
    }),
  });
}
