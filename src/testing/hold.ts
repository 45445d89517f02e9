import pg from 'pg';
import { until } from './until.ts';

/**
 * A transaction of another caller that holds locks until they are released: work that needs them stalls there, so
 * that a test can look, or kill, at exactly that point.
 */
export class Hold {
  readonly #holder: pg.Client;
  readonly #eye: pg.Client;
  readonly #pid: number;

  private constructor(holder: pg.Client, eye: pg.Client, pid: number) {
    this.#holder = holder;
    this.#eye = eye;
    this.#pid = pid;
  }

  /** Takes the locks of one statement. */
  static async of(connection: pg.ClientConfig, statement: string | pg.QueryConfig): Promise<Hold> {
    const [holder, eye] = [new pg.Client(connection), new pg.Client(connection)];
    // A database that is dropped ends the connections that are left.
    for (const client of [holder, eye]) client.on('error', () => undefined);
    await Promise.all([holder.connect(), eye.connect()]);
    await holder.query('begin');
    await holder.query(statement);
    const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
    return new Hold(holder, eye, rows[0]!.pid);
  }

  /** Resolves when so many connections wait for what is held. */
  async reached(count = 1): Promise<void> {
    const text = 'select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))';
    const isReached = async () => ((await this.#eye.query(text, [this.#pid])).rowCount ?? 0) >= count;
    await until(isReached, `${count} to wait for the hold`);
  }

  async letGo(): Promise<void> {
    await this.#holder.query('rollback');
    await Promise.all([this.#holder.end(), this.#eye.end()]);
  }
}
