import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { startProgram } from './programs.ts';

const token = 'bench_token_of_twenty_or_more';

/** One kind of call: its name, the pause between two calls, and the request, rebuilt each time. */
export interface Caller {
  readonly name: string;
  readonly pauseMs: number;
  readonly isChange: boolean;
  request(): readonly [method: string, path: string, body?: unknown];
}

/** Milliseconds that the calls of a kind waited for their replies. */
export type Waits = ReadonlyMap<string, readonly number[]>;

/** Callers of the API of the site `demo`, one of each kind, each with one call at a time. */
export class Callers {
  readonly #server: ChildProcess;
  readonly #url: string;
  readonly #callers: readonly Caller[];

  private constructor(server: ChildProcess, url: string, callers: readonly Caller[]) {
    this.#server = server;
    this.#url = url;
    this.#callers = callers;
  }

  /** Starts a server of the API over a database, in a process of its own. */
  static async start(db: pg.Client, options: object, callers: readonly Caller[]): Promise<Callers> {
    await db.query(`
      insert into facteur.app_user (name, email, created_at) values ('Bench', 'bench@example.com', now());
      insert into facteur.token (id_user, hash, role, all_sites, created_at)
        values (1, sha256('${token}'), 'editor', true, now())`);
    const server = await startProgram('api-server.ts', JSON.stringify({ kind: 'facteur', ...options }));
    return new Callers(server.child, `http://127.0.0.1:${server.port}/v1/demo`, callers);
  }

  /** Lets all of them call while `work` runs. @throws Error for a call that does not succeed */
  async during(work: () => Promise<unknown>): Promise<Waits> {
    let isOver = false;
    const waits = this.#callers.map(async (caller) => {
      const waited: number[] = [];
      while (!isOver) {
        waited.push(await this.#call(caller));
        await pause(caller.pauseMs);
      }
      return [caller.name, waited] as const;
    });
    // Fails as soon as one call does.
    const all = Promise.all(waits);
    await Promise.race([work(), all]);
    isOver = true;
    return new Map(await all);
  }

  /** Makes something that the calls need. */
  async make(path: string, body: unknown): Promise<void> {
    await this.#call({ name: path, pauseMs: 0, isChange: true, request: () => ['POST', path, body] });
  }

  close(): void {
    this.#server.kill('SIGKILL');
  }

  async #call({ name, request }: Caller): Promise<number> {
    const [method, path, body] = request();
    const started = performance.now();
    const reply = await fetch(`${this.#url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    const waited = performance.now() - started;
    // 409: the import has created the same subscriber in the meantime.
    if (!reply.ok && reply.status !== 409) throw new Error(`${name}: ${reply.status} ${text}`);
    return waited;
  }
}
