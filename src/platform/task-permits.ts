import type pg from 'pg';
import { advisoryLock, Connection, inTransaction } from './db/database.ts';
import { whileHeld } from './db/held-lock.ts';
import type { SiteDb } from './db/site-db.ts';
import { sql } from './db/sql.ts';
import { addTask, type Task, type TaskPayload, task } from './tasks.ts';

/** Tasks of one kind and one site that run at once: they leave the other workers to other sites and to sendings. */
const permits = 2;

/** A task that runs under a permit, as it is put back into the queue after a wait. */
export interface PermitTask<P extends TaskPayload> {
  readonly task: Pick<Task<P>, 'name' | 'maxAttempts'>;
  readonly payload: P;
  /** Name of the task's object: one task at a time holds its lock. */
  readonly name: string;
  /** Tasks of the same kind of the same site share its permits. */
  readonly kind: string;
}

/**
 * Runs `work` while this process holds the name's lock and one of the site's permits. If no permit is free, `work` does
 * not run: the task waits in the database, and returns to the queue with all its attempts when a permit is released.
 * Both are locks of a session, so those of a killed process are released as soon as PostgreSQL notices.
 * @throws Error when another caller holds the name; the queue retries the task.
 */
export async function withTaskPermit<P extends TaskPayload>(
  db: SiteDb,
  job: PermitTask<P>,
  work: () => Promise<void>,
): Promise<void> {
  const semaphore = `permits ${db.site.schema} ${job.kind}`;
  const [ran] = await Promise.allSettled([
    whileHeld(db, job.name, async (client) => {
      const permit = await acquire(client, semaphore, job);
      if (permit === undefined) return;
      try {
        await work();
      } finally {
        // Without the connection, the permit has been released.
        await client.query('select pg_advisory_unlock($1)', [permit]).catch(() => undefined);
      }
    }),
  ]);
  // Runs after a failure too: no task may wait for a free permit.
  const [woke] = await Promise.allSettled([wakeWaiting(db, semaphore)]);
  for (const { reason } of [ran, woke].filter((one) => one.status === 'rejected')) throw reason;
}

/** Wakes tasks that wait although a permit is free, after a killed process or a lost connection. */
export const startWaitingTasks = task({
  name: 'startWaitingJobs',
  cron: '* * * * *',
  async run({ control }) {
    for (const { semaphore } of await control.rows<{ semaphore: string }>(
      sql`select distinct semaphore from facteur.waiting_job`,
    ))
      await wakeWaiting(control, semaphore);
  },
});

/** The lock keys of a semaphore's permits, as text: they are wider than a JavaScript number. */
const keysOf = (semaphore: string) => sql`
  select hashtextextended(${semaphore} || ' ' || n, 0) as key from generate_series(1, ${permits}::int) n`;

/** Acquires a permit, or undefined if the task must wait. Lock: the semaphore's, shared with `wakeWaiting`. */
async function acquire<P extends TaskPayload>(
  client: pg.PoolClient,
  semaphore: string,
  { task: { name, maxAttempts = 25 }, payload }: PermitTask<P>,
): Promise<string | undefined> {
  const tx = new Connection(client);
  return inTransaction(client, async () => {
    await tx.run(advisoryLock(semaphore));
    for (const { key } of await tx.rows<{ key: string }>(
      sql`select key::text from (${keysOf(semaphore)}) k`,
    )) {
      // The lock belongs to the session and outlives the transaction.
      const held = await tx.value<boolean>(sql`select pg_try_advisory_lock(${key}::bigint) as held`);
      if (held) return key;
    }
    await tx.run(sql`
      insert into facteur.waiting_job (semaphore, task, payload, max_attempts)
      values (${semaphore}, ${name}, ${JSON.stringify(payload)}, ${maxAttempts}) on conflict do nothing`);
    return undefined;
  });
}

interface Transactional {
  transaction(work: (tx: Connection) => Promise<void>): Promise<void>;
}

/** Puts as many waiting tasks back into the queue as permits are free, the oldest first. */
async function wakeWaiting(db: Transactional, semaphore: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(advisoryLock(semaphore));
    // Each free permit is acquired and released at once: no other transaction looks while this one holds the lock.
    const free = await tx.value<number>(sql`
      with free as materialized (select key from (${keysOf(semaphore)}) k where pg_try_advisory_lock(key))
      select count(pg_advisory_unlock(key)) as free from free`);
    const jobs = await tx.rows<{ task: string; payload: TaskPayload; maxAttempts: number }>(sql`
      with woken as (
        delete from facteur.waiting_job where id in (
          select id from facteur.waiting_job where semaphore = ${semaphore} order by id limit ${free})
        returning id, task, payload, max_attempts)
      select task, payload, max_attempts as "maxAttempts" from woken order by id`);
    for (const { task: name, payload, maxAttempts } of jobs)
      await addTask(tx, { name, maxAttempts }, payload);
  });
}
