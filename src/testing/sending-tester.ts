import { randomBytes } from 'node:crypto';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { type EngineOptions, SendingEngine } from '../sending/engine/engine.ts';
import type { TestApp } from './app.ts';
import type { WorkerSettings } from './sending-worker.ts';
import { type SinkOptions, type SmtpSink, smtpSink } from './smtp-sink.ts';
import { WorkerProcess } from './worker-process.ts';

/** Limits of a relay; without `messagesPerHour` no limit. */
export interface RelayLimits {
  readonly maxConnections?: number;
  readonly messagesPerHour?: number;
}

/** Adds a relay on loopback to those of a site. */
export async function addRelay(
  db: SiteDb,
  port: number,
  { maxConnections = 4, messagesPerHour = 0 }: RelayLimits = {},
): Promise<void> {
  await db.run(sql`
    insert into facteur.route (id_site, host, port, tls, max_connections, messages_per_hour)
    values (${db.site.id}, '127.0.0.1', ${port}, 'none', ${maxConnections}, ${messagesPerHour})`);
}

interface Usual {
  readonly engine?: EngineOptions;
  readonly relay?: SinkOptions & RelayLimits;
}

/** Relays, engines and worker processes around a test's app. What it starts ends with `end`, the last one first. */
export class SendingTester {
  readonly #t: TestApp;
  readonly #usual: Usual;
  readonly #closers: (() => Promise<unknown>)[] = [];
  /** The secret of all its workers: each must read what another wrote. */
  readonly #secret = randomBytes(32).toString('hex');

  /** @param usual what engines and relays are like unless a test says otherwise */
  constructor(t: TestApp, usual: Usual = {}) {
    this.#t = t;
    this.#usual = usual;
  }

  /** Registers work for the end of the test. */
  atEnd(close: () => Promise<unknown>): void {
    this.#closers.push(close);
  }

  async end(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }

  /** A mail server that no route leads to. */
  async sink(options: SinkOptions = {}): Promise<SmtpSink> {
    const sink = await smtpSink(options);
    this.atEnd(() => sink.close());
    return sink;
  }

  /** A mail server by which the mail of the site leaves, and by no other. */
  async relay(options: SinkOptions & RelayLimits = {}): Promise<SmtpSink> {
    const made = { ...this.#usual.relay, ...options };
    const sink = await this.sink(made);
    await this.routeTo(sink.port, made);
    return sink;
  }

  /** Makes a port of loopback the only relay of the site; other sites lose their relays. */
  async routeTo(port: number, limits: RelayLimits = {}): Promise<void> {
    await this.#t.app.control.run(sql`delete from facteur.route`);
    await addRelay(this.#t.db, port, limits);
  }

  /**
   * An engine that has begun; it looks often. Its leases are as long as the service's: another one would take over what
   * a slow machine does not renew in time, and tests that need that kill a worker.
   */
  engine(options: EngineOptions = {}, app: App = this.#t.app): SendingEngine {
    const engine = new SendingEngine(app, { pollMs: 50, ...this.#usual.engine, ...options });
    engine.start();
    this.atEnd(() => engine.stop());
    return engine;
  }

  /** An engine in a process of its own, for tests that kill it; its leases are the service's as well. */
  worker(settings: Partial<WorkerSettings> = {}): WorkerProcess {
    const usual = { connection: this.#t.connection, secret: this.#secret, pollMs: 50 };
    const worker = new WorkerProcess({ ...usual, ...settings });
    this.atEnd(() => worker.end('SIGKILL'));
    return worker;
  }
}
