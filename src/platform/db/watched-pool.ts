import pg from 'pg';
import { within } from '../within.ts';
import { breakConnection } from './copy-out.ts';

/** Milliseconds without a response to a statement, after which the server is probed. */
const doubtMs = 1_500;
/** How often we look for such statements. */
const lookMs = 500;
/** Longest wait for the server's answer on a new connection, and for a new connection of the pool. */
const answerMs = 2_500;

/** A connection that knows since when its statement has been waiting for an answer. */
class WatchedClient extends pg.Client {
  waitingSince: number | undefined;

  constructor(config: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: answerMs });
  }

  // The driver's own overloads, which all end in a promise or a callback; COPY and cursors have neither.
  override query(...args: never[]): never {
    const callback = args.at(-1) as unknown;
    const done = this.#begin();
    if (typeof callback === 'function') {
      const wrapped = (...result: unknown[]) => {
        done();
        callback(...result);
      };
      // `never` stands for the driver's overloads, here and below.
      return this.#ask([...args.slice(0, -1), wrapped as never]);
    }
    const answer = this.#ask(args) as unknown;
    if (answer instanceof Promise) answer.then(done, done);
    else done();
    // As above.
    return answer as never;
  }

  #ask(args: never[]): never {
    return (super.query as (...all: never[]) => never).apply(this, args);
  }

  #begin(): () => void {
    const since = performance.now();
    this.waitingSince ??= since;
    return () => {
      if (this.waitingSince === since) this.waitingSince = undefined;
    };
  }
}

/**
 * A pool for requests, which notices within five seconds that the server is out of reach, and not only that a
 * connection was closed: a network that swallows packets closes nothing. While a statement waits for longer than
 * `doubtMs`, it asks the server on a new connection. Without an answer there, it breaks the connections that wait, so
 * their statements fail. A slow statement on a server that answers continues.
 */
export class WatchedPool extends pg.Pool {
  readonly #config: pg.PoolConfig;
  readonly #clients = new Set<WatchedClient>();
  readonly #timer: NodeJS.Timeout;
  #isAsking = false;

  constructor(config: pg.PoolConfig) {
    // The types know the driver's own class only; the pool makes each of its clients by this one.
    super({ ...config, Client: WatchedClient as never });
    this.#config = config;
    this.on('connect', (client) => client instanceof WatchedClient && this.#clients.add(client));
    this.on('remove', (client) => client instanceof WatchedClient && this.#clients.delete(client));
    this.#timer = setInterval(() => void this.#look(), lookMs).unref();
  }

  override end(...args: never[]): never {
    clearInterval(this.#timer);
    return (super.end as (...all: never[]) => never).apply(this, args);
  }

  #late(): WatchedClient[] {
    const before = performance.now() - doubtMs;
    return [...this.#clients].filter(
      ({ waitingSince }) => waitingSince !== undefined && waitingSince < before,
    );
  }

  async #look(): Promise<void> {
    const late = this.#late();
    if (late.length === 0 || this.#isAsking) return;
    this.#isAsking = true;
    try {
      if (await this.#answers()) return;
      // Connections that got their response during the probe stay.
      for (const client of this.#late().filter((one) => late.includes(one))) breakConnection(client);
    } finally {
      this.#isAsking = false;
    }
  }

  /** Whether the server answers on a new connection, be it with a refusal. */
  async #answers(): Promise<boolean> {
    const client = new pg.Client(this.#config);
    client.on('error', () => undefined);
    try {
      await within(
        'PostgreSQL',
        answerMs,
        client.connect().then(() => client.query('select')),
      );
      return true;
    } catch (error) {
      return error instanceof pg.DatabaseError;
    } finally {
      breakConnection(client);
    }
  }
}
