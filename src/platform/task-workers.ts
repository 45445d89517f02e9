import { randomInt } from 'node:crypto';
import type pg from 'pg';
import type { Database } from './db/database.ts';
import { sql } from './db/sql.ts';

/** First key of the two-key advisory locks that say a process lives. */
const lockClass = 1_179_992_916;

/** A job whose worker nobody registered is left alone for this long: the worker may be registering just now. */
const graceSeconds = 60;

/** Shows that this process lives, and requeues the jobs of dead ones; the queue itself would wait four hours. */
export class TaskWorkers {
  readonly #control: Database;
  readonly #key = randomInt(1, 2 ** 31);
  readonly #names = new Set<string>();
  /** Gives up the connection that holds our lock. */
  #letGo: ((error?: Error) => void) | undefined;
  #holding: Promise<void> | undefined;

  constructor(control: Database) {
    this.#control = control;
  }

  /** Writes down the name that jobs taken by this process are locked by. */
  async register(idWorker: string): Promise<void> {
    this.#names.add(idWorker);
    await this.#writeNames();
  }

  async #writeNames(): Promise<void> {
    if (this.#names.size === 0) return;
    await this.#control.run(sql`
      insert into facteur.job_worker (id_worker, lock_key)
      select name, ${this.#key} from unnest(${[...this.#names]}::text[]) name on conflict do nothing`);
  }

  /** Holds our lock (again, after a lost connection) and unlocks dead processes' jobs; returns how many were dead. */
  async tend(): Promise<number> {
    // One at a time: while the database is slow the next call comes before the last has ended, and its connection
    // would wait for our own lock for ever.
    this.#holding ??= this.#hold().finally(() => {
      this.#holding = undefined;
    });
    await this.#holding;
    // Again each time: after a restart of PostgreSQL another process may have looked before we held our lock again.
    await this.#writeNames();
    const dead = await this.#control.rows<{ idWorker: string }>(sql`
      with process as materialized (select distinct lock_key from facteur.job_worker where lock_key <> ${this.#key}),
      -- Side effect: takes the lock of each dead process until this statement's transaction ends.
      gone as materialized (select lock_key from process where pg_try_advisory_xact_lock(${lockClass}, lock_key))
      delete from facteur.job_worker where lock_key in (select lock_key from gone) returning id_worker as "idWorker"`);
    const strangers = await this.#control.rows<{ idWorker: string }>(sql`
      select distinct locked_by as "idWorker" from (
        select locked_by, locked_at from graphile_worker._private_jobs where locked_by is not null
        union all
        select locked_by, locked_at from graphile_worker._private_job_queues where locked_by is not null) as held
      where locked_at < now() - make_interval(secs => ${graceSeconds})
        and not exists (select from facteur.job_worker where id_worker = locked_by)`);
    const ids = [...dead, ...strangers].map((row) => row.idWorker);
    if (ids.length > 0)
      await this.#control.run(sql`select graphile_worker.force_unlock_workers(${ids}::text[])`);
    return ids.length;
  }

  async #hold(): Promise<void> {
    if (this.#letGo) return;
    const client = await this.#control.pool.connect();
    const release = releaseOnce(client);
    // Closing the connection, not returning it to the pool, is what frees a lock of the session.
    const letGo = (error?: Error): void => {
      if (this.#letGo === letGo) this.#letGo = undefined;
      release(error ?? true);
    };
    client.once('error', letGo);
    try {
      const answer = await client.query('select pg_try_advisory_lock($1, $2) as held', [
        lockClass,
        this.#key,
      ]);
      // Not held: by our own connection that broke without PostgreSQL knowing; it says as well that we live.
      if (answer.rows[0].held) {
        this.#letGo = letGo;
      } else {
        client.off('error', letGo);
        release();
      }
    } catch (error) {
      letGo(error as Error);
      throw error;
    }
  }

  /** Takes our workers off the list and gives their jobs back to the queue. The workers must have stopped. */
  async release(): Promise<void> {
    // Names that could not be written, because the database was unavailable, may hold jobs too.
    const names = [...this.#names];
    const ours = await this.#control.rows<{ idWorker: string }>(
      sql`delete from facteur.job_worker where lock_key = ${this.#key} returning id_worker as "idWorker"`,
    );
    // A stopped job may still be held: the queue's own shutdown does not wait to release it.
    const ids = [...new Set([...names, ...ours.map((row) => row.idWorker)])];
    await this.#control.run(sql`select graphile_worker.force_unlock_workers(${ids}::text[])`);
    for (const name of names) this.#names.delete(name);
  }

  /** Releases our workers and the lock. */
  async close(): Promise<void> {
    // Runs after success and failure: the pool would wait for this connection for ever.
    await this.release().finally(() => this.#letGo?.());
  }
}

/** A connection that breaks says so twice, to its listeners and to who waits for an answer; the pool takes it once. */
function releaseOnce(client: pg.PoolClient): (error?: Error | boolean) => void {
  let isReleased = false;
  return (error) => {
    if (!isReleased) client.release(error);
    isReleased = true;
  };
}
