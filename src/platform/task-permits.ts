import type pg from 'pg';
import { advisoryLock, Connection, inTransaction } from './db/database.ts';
import { whileHeld } from './db/held-lock.ts';
import type { SiteDb } from './db/site-db.ts';
import { sql } from './db/sql.ts';
import { addJob, type Task, type TaskPayload, task } from './jobs.ts';

/** Jobs of one lane that run at once: they leave the other workers to other sites and to sendings. */
const slots = 2;

/** A job as it is put back into the queue when it had to wait. */
export interface PermitTask<P extends TaskPayload> {
  readonly task: Pick<Task<P>, 'name' | 'maxAttempts'>;
  readonly payload: P;
  /** What the job works on: one at a time holds it. */
  readonly name: string;
  /** Jobs of the same lane of the same site share its slots. */
  readonly lane: string;
}

/**
 * Runs `work` while this process holds the name, and a slot of the site's lane. Where no slot is free the job is laid
 * aside in the database and `work` does not run: it comes back to the queue when a slot is free, as a new job with
 * all its tries. Both are locks of a session: those of a killed process are free as soon as PostgreSQL notices.
 * @throws Error when another caller holds the name: a job that is retried later.
 */
export async function withTaskPermit<P extends TaskPayload>(
  db: SiteDb,
  job: PermitTask<P>,
  work: () => Promise<void>,
): Promise<void> {
  const lane = `lane ${db.site.schema} ${job.lane}`;
  const [ran] = await Promise.allSettled([
    whileHeld(db, job.name, async (client) => {
      const slot = await takeSlot(client, lane, job);
      if (slot === undefined) return;
      try {
        await work();
      } finally {
        // On a connection that no longer exists the slot no longer exists too.
        await client.query('select pg_advisory_unlock($1)', [slot]).catch(() => undefined);
      }
    }),
  ]);
  // Whatever became of it: nobody waits for a slot that nobody uses.
  const [woke] = await Promise.allSettled([wakeWaiting(db, lane)]);
  for (const { reason } of [ran, woke].filter((one) => one.status === 'rejected')) throw reason;
}

/**
 * Puts jobs back that wait although a slot is free: where a process died after it had freed one, or PostgreSQL noticed
 * late that one was free.
 */
export const startWaitingJobs = task({
  name: 'startWaitingJobs',
  cron: '* * * * *',
  async run({ control }) {
    for (const { lane } of await control.rows<{ lane: string }>(
      sql`select distinct lane from facteur.waiting_job`,
    ))
      await wakeWaiting(control, lane);
  },
});

/** Keys of the lane's slots, as text: they are wider than a number. */
const keysOf = (lane: string) => sql`
  select hashtextextended(${lane} || ' slot ' || n, 0) as key from generate_series(1, ${slots}::int) n`;

/**
 * A slot that this session holds from now on, or undefined when none is free and the job waits for its turn.
 * Lock: of the lane until the transaction ends, as `wakeWaiting` takes it: a slot that is freed meanwhile wakes us.
 */
async function takeSlot<P extends TaskPayload>(
  client: pg.PoolClient,
  lane: string,
  { task: { name, maxAttempts = 25 }, payload }: PermitTask<P>,
): Promise<string | undefined> {
  const tx = new Connection(client);
  return inTransaction(client, async () => {
    await tx.run(advisoryLock(lane));
    for (const { key } of await tx.rows<{ key: string }>(sql`select key::text from (${keysOf(lane)}) k`)) {
      // The lock is the session's: it outlives the transaction.
      const { held } = await tx.one<{ held: boolean }>(
        sql`select pg_try_advisory_lock(${key}::bigint) as held`,
      );
      if (held) return key;
    }
    await tx.run(sql`
      insert into facteur.waiting_job (lane, task, payload, max_attempts)
      values (${lane}, ${name}, ${JSON.stringify(payload)}, ${maxAttempts}) on conflict do nothing`);
    return undefined;
  });
}

interface Transactional {
  transaction(work: (tx: Connection) => Promise<void>): Promise<void>;
}

interface WaitingJob {
  readonly task: string;
  readonly payload: TaskPayload;
  readonly maxAttempts: number;
  readonly [column: string]: unknown;
}

/** Puts as many waiting jobs back into the queue as slots are free, in the order in which they came. */
async function wakeWaiting(db: Transactional, lane: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(advisoryLock(lane));
    // Each free slot is taken and released at once: no one else looks while we hold the lane.
    const { free } = await tx.one<{ free: number }>(sql`
      with free as materialized (select key from (${keysOf(lane)}) k where pg_try_advisory_lock(key))
      select count(pg_advisory_unlock(key)) as free from free`);
    const jobs = await tx.rows<WaitingJob>(sql`
      with woken as (
        delete from facteur.waiting_job where id in (
          select id from facteur.waiting_job where lane = ${lane} order by id limit ${free})
        returning id, task, payload, max_attempts)
      select task, payload, max_attempts as "maxAttempts" from woken order by id`);
    for (const { task: name, payload, maxAttempts } of jobs) await addJob(tx, { name, maxAttempts }, payload);
  });
}
