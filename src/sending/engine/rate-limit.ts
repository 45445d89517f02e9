import type { Suspension } from '../../alerts/suspensions.ts';
import type { Connection } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** Tokens are fetched from the database for about this long ahead, so that a limit costs few statements. */
const fetchAheadS = 0.5;
/** What may go out at once after a pause, in seconds' worth of the rate; at least one message. */
const burstS = 1;

/** The bucket of a provider's messages per hour. */
export const providerBucket = (idProvider: number): string => `provider:${idProvider}`;

interface Bucket {
  tokens: number;
  /** No use asking before this (performance.now()). */
  emptyUntil: number;
}

/**
 * Messages-per-hour limits as token buckets in the database, one for all processes. Over the limit means waiting,
 * never dropping. A process fetches a few tokens at a time; what it holds when it dies is lost, so a limit may be
 * kept slightly under, never over.
 */
export class RateLimits {
  readonly #control: Connection;
  readonly #buckets = new Map<string, Bucket>();
  readonly #fetching = new Map<string, Promise<void>>();

  constructor(control: Connection) {
    this.#control = control;
  }

  /**
   * Takes up to `wanted` tokens of a bucket.
   * @returns how many were given, and if fewer than wanted, the milliseconds until it is worth asking again.
   */
  async take(key: string, perHour: number, wanted: number): Promise<{ given: number; waitMs: number }> {
    if (perHour === 0) return { given: wanted, waitMs: 0 };
    const bucket = this.#bucket(key);
    if (bucket.tokens < wanted && performance.now() >= bucket.emptyUntil)
      await this.#fetch(key, perHour, bucket);
    const given = Math.min(wanted, bucket.tokens);
    bucket.tokens -= given;
    return { given, waitMs: given < wanted ? Math.max(1, bucket.emptyUntil - performance.now()) : 0 };
  }

  /** Whether a bucket has nothing to give just now, so that anyone who is limited by it waits on purpose. */
  async isEmpty(key: string, perHour: number): Promise<boolean> {
    if (perHour === 0) return false;
    const found = await this.#control.first<{ empty: boolean }>(sql`
      select tokens + greatest(0, extract(epoch from clock_timestamp() - filled_at)) * ${perHour / 3600}::float8 < 1
        as empty
      from facteur.send_bucket where key = ${key}`);
    return found?.empty ?? false;
  }

  /** Returns tokens that were taken and not used; nothing of a bucket without a limit. */
  giveBack(key: string, perHour: number, tokens: number): void {
    if (perHour > 0 && tokens > 0) this.#bucket(key).tokens += tokens;
  }

  /** Lets go of a bucket that this process asks nothing of any more. */
  forget(key: string): void {
    this.#buckets.delete(key);
  }

  #bucket(key: string): Bucket {
    let bucket = this.#buckets.get(key);
    if (!bucket) {
      bucket = { tokens: 0, emptyUntil: 0 };
      this.#buckets.set(key, bucket);
    }
    return bucket;
  }

  /** One fetch a bucket at a time; the others wait for it and share. */
  async #fetch(key: string, perHour: number, bucket: Bucket): Promise<void> {
    const running = this.#fetching.get(key);
    if (running) return running;
    const fetch = this.#fetchNow(key, perHour, bucket).finally(() => this.#fetching.delete(key));
    this.#fetching.set(key, fetch);
    return fetch;
  }

  async #fetchNow(key: string, perHour: number, bucket: Bucket): Promise<void> {
    const perS = perHour / 3600;
    const burst = Math.max(1, perS * burstS);
    const wanted = Math.max(1, Math.ceil(perS * fetchAheadS));
    await this.#control.run(sql`
      insert into facteur.send_bucket (key, tokens, filled_at) values (${key}, ${burst}, clock_timestamp())
      on conflict do nothing`);
    // Locks the bucket; it is filled by the time that passed and emptied by what is given, in one statement.
    const row = await this.#control.one<{ given: number; left: number }>(sql`
      with bucket as materialized (
        select key, least(${burst}::float8, tokens
          + greatest(0, extract(epoch from clock_timestamp() - filled_at)) * ${perS}::float8) as available
        from facteur.send_bucket where key = ${key} for update),
      gift as materialized (select key, available, least(${wanted}::float8, floor(available)) as given from bucket)
      update facteur.send_bucket b
      set tokens = gift.available - gift.given, filled_at = clock_timestamp()
      from gift where b.key = gift.key
      returning gift.given::int as given, b.tokens as left`);
    bucket.tokens += row.given;
    // With tokens left the next fetch may come at once; else when one has dropped in.
    const missing = Math.max(0, 1 - row.left);
    bucket.emptyUntil = performance.now() + Math.min(60_000, (missing / perS) * 1000);
  }
}

/** How often a suspended provider is checked again, in milliseconds. */
const suspendedAgainMs = 5_000;

/**
 * Providers whose messages per hour are used up. This process requests no tokens for them until their pause ends, and
 * queues their recipients, so that they do not block those of other providers.
 */
export class ProviderPauses {
  readonly #until = new Map<number, number>();

  /** Pauses a provider for `ms` milliseconds. */
  pause(provider: number, ms: number): void {
    this.#until.set(provider, performance.now() + ms);
  }

  /** The providers that are paused now. */
  get pausedNow(): number[] {
    return [...this.#until.keys()].filter((provider) => this.waitMs(provider) > 0);
  }

  /** Milliseconds until a provider's pause ends; 0 if it is not paused. */
  waitMs(provider: number): number {
    const until = this.#until.get(provider);
    return until === undefined ? 0 : Math.max(0, until - performance.now());
  }
}

/** Pauses of one sender's messages: used-up limits, and suspensions because of complaints. */
export class SenderPauses {
  readonly #pauses: ProviderPauses;
  readonly #suspended: () => readonly Suspension[];

  /** @param suspended the suspensions of the sender, as they are now */
  constructor(pauses: ProviderPauses, suspended: () => readonly Suspension[]) {
    this.#pauses = pauses;
    this.#suspended = suspended;
  }

  pause(provider: number, ms: number): void {
    this.#pauses.pause(provider, ms);
  }

  get pausedNow(): number[] {
    return this.#pauses.pausedNow;
  }

  /** Describes which of these providers are suspended; undefined if none is. */
  suspension(providers: readonly number[]): string | undefined {
    const own = this.#suspended().filter(({ idProvider }) => providers.includes(idProvider));
    if (own.length === 0) return undefined;
    const names = own.map(({ provider, id }) => `${provider} (alert ${id})`).join(', ');
    return `Sending is suspended because of complaints at ${names}; the messages wait`;
  }

  isSuspended(provider: number): boolean {
    return this.#suspended().some(({ idProvider }) => idProvider === provider);
  }

  waitMs(provider: number): number {
    return this.isSuspended(provider) ? suspendedAgainMs : this.#pauses.waitMs(provider);
  }
}
