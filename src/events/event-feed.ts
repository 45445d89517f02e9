import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { SiteDb } from '../platform/db/site-db.ts';
import { refusalOfFault } from '../platform/http/fault.ts';
import { type Change, type Counted, type Mark, readChanges, readMark, type Scope } from './change-store.ts';

/** Times in milliseconds. */
export interface FeedTimes {
  /** Interval between two readings of a site that has listeners. */
  readonly poll: number;
  /** Maximum time without an event: a `current` is sent then. */
  readonly heartbeat: number;
  /** Interval between two checks whether a listener's session or token is still valid. */
  readonly check: number;
}
const usualTimes: FeedTimes = { poll: 1_000, heartbeat: 15_000, check: 10_000 };
/** Maximum number of bytes that wait for a slow reader. */
const maxWaitingBytes = 256 * 1024;

export interface ListenerOptions {
  /** The cursor of the last event that the client received. */
  readonly since: number | undefined;
  isStillAdmitted(): Promise<boolean>;
}

interface Listener extends ListenerOptions {
  readonly stream: PassThrough;
  hasBegun: boolean;
  writtenAt: number;
  checkedAt: number;
}

const keyOf = ({ event, id }: Change) => `${event} ${id}`;

/** The result of the last reading. */
interface Reading {
  /** The cursor of the last reading of all records. */
  readonly cursor: number;
  readonly completeAt: number;
  readonly newest: Mark['newest'];
  /** The records found since that reading, each with its data as text. */
  readonly found: ReadonlyMap<string, { readonly change: Change; readonly text: string }>;
}

/**
 * The changes of one site for its listeners in this process. One loop reads them for all listeners and ends with the
 * last one. It keeps only the last reading, to find out what has changed; everything else is in the database.
 */
export class EventFeed {
  readonly #db: SiteDb;
  readonly #log: Logger;
  readonly #times: FeedTimes;
  readonly #listeners = new Set<Listener>();
  #last: Reading | undefined;
  #isRunning = false;
  #wake: (() => void) | undefined;

  constructor(db: SiteDb, log: Logger, times: Partial<FeedTimes> = {}) {
    this.#db = db;
    this.#log = log;
    this.#times = { ...usualTimes, ...times };
  }

  get size(): number {
    return this.#listeners.size;
  }

  /** Adds a listener; its stream begins with the present state, within a moment. */
  listen(options: ListenerOptions): PassThrough {
    const stream = new PassThrough();
    const now = performance.now();
    const listener = { ...options, stream, hasBegun: false, writtenAt: now, checkedAt: now };
    this.#listeners.add(listener);
    stream.once('close', () => {
      this.#listeners.delete(listener);
      this.#wake?.();
    });
    if (this.#isRunning) this.#wake?.();
    else void this.#run();
    return stream;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#listeners.size > 0) {
      const began = performance.now();
      try {
        await this.#tellChanges();
      } catch (error) {
        // The streams stay: they continue when the database is available again.
        this.#log.warn(
          { err: error, idSite: this.#db.site.id },
          'changes could not be read for event streams',
        );
        for (const one of this.#listeners)
          if (this.#isSilent(one)) write(one, ': waiting for the database\n\n');
        await sleep(this.#times.poll);
      }
      for (const one of this.#listeners) void this.#check(one);
      await this.#pause(this.#times.poll - (performance.now() - began));
    }
    this.#last = undefined;
    this.#isRunning = false;
  }

  async #tellChanges(): Promise<void> {
    const listeners = [...this.#listeners];
    const mark = await readMark(this.#db);
    const last = this.#last;
    // A larger number is of another database, before a backup was restored.
    const sinceOf = ({ since }: Listener) => (since !== undefined && since > mark.cursor ? 0 : since);
    const froms = listeners.flatMap((one) => (one.hasBegun ? [] : (sinceOf(one) ?? [])));
    const isComplete =
      !last || froms.length > 0 || performance.now() - last.completeAt >= this.#times.heartbeat;
    if (last) froms.push(last.cursor);
    const scope: Scope = isComplete
      ? { since: froms.length > 0 ? Math.min(...froms) : undefined }
      : { known: [...last.found.values()].map(({ change }) => change), newest: last.newest };
    const changes = await readChanges(this.#db, scope, (job) => countedBy(last, job));
    const texts = new Map(changes.map((change) => [change, JSON.stringify(change.data)]));
    const isSince = (change: Change, since: number | undefined) =>
      change.isOpen || (since !== undefined && change.version >= since);
    const changed = changes.filter(
      (change) =>
        last && isSince(change, last.cursor) && last.found.get(keyOf(change))?.text !== texts.get(change),
    );
    const found = new Map(isComplete ? [] : last.found);
    for (const [change, text] of texts) found.set(keyOf(change), { change, text });
    // A client that connects again with the cursor of a reading of few records would miss the others.
    const cursor = isComplete ? mark.cursor : last.cursor;
    const completeAt = isComplete ? performance.now() : last.completeAt;
    this.#last = { cursor, completeAt, newest: mark.newest, found };
    for (const one of listeners) {
      const told = one.hasBegun ? changed : changes.filter((change) => isSince(change, sinceOf(one)));
      if (one.hasBegun && told.length === 0 && !this.#isSilent(one)) continue;
      const events = told.map((change) => `event: ${change.event}\ndata: ${texts.get(change)}\n\n`);
      // Only the last event has an id: a client that is cut off before it gets all of them again.
      write(one, `${events.join('')}id: ${cursor}\nevent: current\ndata: {}\n\n`);
      one.hasBegun = true;
    }
  }

  #isSilent(one: Listener): boolean {
    return performance.now() - one.writtenAt >= this.#times.heartbeat;
  }

  async #check(one: Listener): Promise<void> {
    const now = performance.now();
    if (now - one.checkedAt < this.#times.check) return;
    one.checkedAt = now;
    const isAdmitted = await one.isStillAdmitted().catch((error: unknown) => {
      this.#log.warn(
        { err: error, idSite: this.#db.site.id },
        'caller of an event stream could not be checked',
      );
      // An unavailable database says nothing about the caller, and gives no events either: the next check decides.
      return refusalOfFault(error).status === 503;
    });
    if (isAdmitted) return;
    // The stream of a client that does not read never ends, and would keep its place.
    if (one.stream.writableEnded) one.stream.destroy();
    else one.stream.end();
  }

  /** Waits until the next reading is due, a listener comes, or the last one leaves. */
  async #pause(ms: number): Promise<void> {
    const isIdle = () => this.#listeners.size === 0 || [...this.#listeners].some((one) => !one.hasBegun);
    if (isIdle() || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        if (!isIdle()) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}

/**
 * The messages of a job as the last reading counted them; undefined if they may have changed. A worker commits what it
 * had begun when its job was paused, so a job is counted until a complete reading is later than its pause.
 */
function countedBy(last: Reading | undefined, job: Change): Counted | undefined {
  if (!last || ['Generating', 'Sending'].includes(String(job.data.state)) || job.version >= last.cursor)
    return undefined;
  const data = last.found.get(keyOf(job))?.change.data;
  return data && { nbAddressToSend: Number(data.nbAddressToSend), nbAddressSent: Number(data.nbAddressSent) };
}

/** Writes to a listener's stream; closes it instead when its client has not read what was written before. */
function write(one: Listener, text: string): void {
  const { stream } = one;
  if (!stream.writable) return;
  one.writtenAt = performance.now();
  if (stream.writableLength + stream.readableLength > maxWaitingBytes) stream.destroy();
  else stream.write(text);
}
