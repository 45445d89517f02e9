import { setTimeout as pause } from 'node:timers/promises';
import type { Server } from './two-servers.ts';

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
  readonly #server: Server;
  readonly #callers: readonly Caller[];

  constructor(server: Server, callers: readonly Caller[]) {
    this.#server = server;
    this.#callers = callers;
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

  async make(path: string, body: unknown): Promise<void> {
    await this.#call({ name: path, pauseMs: 0, isChange: true, request: () => ['POST', path, body] });
  }

  close(): void {
    this.#server.program.child.kill('SIGKILL');
  }

  async #call({ name, request }: Caller): Promise<number> {
    const [method, path, body] = request();
    const started = performance.now();
    const reply = await fetch(`${this.#server.url}/v1/demo${path}`, {
      method,
      headers: { ...this.#server.headers, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    const waited = performance.now() - started;
    // 409: the import has created the same subscriber in the meantime.
    if (!reply.ok && reply.status !== 409) throw new Error(`${name}: ${reply.status} ${text}`);
    return waited;
  }
}
