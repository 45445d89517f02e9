import { randomUUID } from 'node:crypto';
import type { Connection } from './db/database.ts';
import { type Sql, sql } from './db/sql.ts';

export interface CountedEvent {
  readonly idSite: number;
  /** For example `mail.accepted`. */
  readonly event: string;
  /** The provider of the address that it is about; absent for none. */
  readonly idProvider?: number;
}

/** A total over all processes, as `event_count` holds it. */
export interface EventTotal extends Required<CountedEvent> {
  readonly total: number;
}

interface Batch {
  readonly number: number;
  readonly events: readonly EventTotal[];
}

/** Processes that flushed nothing for so long have ended; their last number is no longer needed. */
const forgottenAfterDays = 30;

/**
 * Counts events of this process and adds them to the totals in the database, so that every process reports the same
 * figures, whichever one did the work, and no restart resets them. Events about a provider are kept by their time as
 * well, for some hours. A kill loses what was not flushed: some
 * seconds of counts, and nothing but counts.
 */
export class EventCounts {
  readonly #process = randomUUID();
  readonly #waiting = new Map<string, { readonly event: Required<CountedEvent>; n: number }>();
  #batch: Batch | undefined;
  #number = 0;

  /** Counts an event `n` times; costs no I/O. */
  count({ idSite, event, idProvider = 0 }: CountedEvent, n = 1): void {
    const key = `${idSite} ${idProvider} ${event}`;
    const known = this.#waiting.get(key);
    if (known) known.n += n;
    else this.#waiting.set(key, { event: { idSite, event, idProvider }, n });
  }

  /** Adds what was counted to the totals. @throws Error when the database is unavailable; nothing is lost then. */
  async flush(control: Connection): Promise<void> {
    // What failed before goes first, under its number: it may have been committed.
    if (this.#batch) await this.#write(control, this.#batch);
    if (this.#waiting.size === 0) return;
    const events = [...this.#waiting.values()].map(({ event, n }) => ({ ...event, total: n }));
    this.#waiting.clear();
    this.#number += 1;
    await this.#write(control, { number: this.#number, events });
  }

  async #write(control: Connection, batch: Batch): Promise<void> {
    this.#batch = batch;
    const turn = sql`
      turn as (
        insert into facteur.event_flush as f (process, number) values (${this.#process}, ${batch.number})
        on conflict (process) do update set number = excluded.number, at = clock_timestamp()
        where f.number < excluded.number
        returning number),
      forgotten as (
        delete from facteur.event_flush
        where process <> ${this.#process} and at < clock_timestamp() - ${forgottenAfterDays} * interval '1 day'),
      ${addRecent(batch.events)}`;
    await control.run(addStatement(batch.events, turn));
    this.#batch = undefined;
  }
}

/** Adds to a total in the caller's transaction: for what is rare and must be counted exactly once. */
export async function countInTransaction(tx: Connection, event: CountedEvent): Promise<void> {
  const { idSite, event: name, idProvider = 0 } = event;
  await tx.run(addStatement([{ idSite, event: name, idProvider, total: 1 }]));
}

export async function eventTotals(control: Connection): Promise<EventTotal[]> {
  return control.rows<EventTotal>(sql`
    select id_site as "idSite", event, id_provider as "idProvider", total from facteur.event_count
    order by id_site, event, id_provider`);
}

/** The total of an event about a provider within ten minutes. */
export interface RecentTotal extends Omit<EventTotal, 'idSite'> {
  /** When the ten minutes began. */
  readonly at: Date;
  /** Seconds since then. */
  readonly ageS: number;
}

/** Hours for which events about providers are kept by their time. */
export const recentHours = 6;

/** A site's events about providers in the last hours, oldest first. Counts of the last seconds may be missing. */
export async function recentTotals(control: Connection, idSite: number): Promise<RecentTotal[]> {
  return control.rows<RecentTotal>(sql`
    select event, id_provider as "idProvider", total, at, extract(epoch from clock_timestamp() - at)::float8 as "ageS"
    from facteur.recent_event
    where id_site = ${idSite} and at > clock_timestamp() - ${recentHours} * interval '1 hour'
    order by at, id_provider, event`);
}

const givenColumns = (events: readonly EventTotal[]): Sql => sql`
  unnest(${events.map(({ idSite }) => idSite)}::int[], ${events.map(({ event }) => event)}::text[],
    ${events.map(({ idProvider }) => idProvider)}::int[], ${events.map(({ total }) => total)}::bigint[])
    as given (id_site, event, id_provider, total)`;

/** Steps of a flush that add events about providers to those of the last hours, and remove older ones. */
const addRecent = (events: readonly EventTotal[]): Sql => sql`
  -- Two processes that remove the same rows must not wait for each other.
  outdated as (
    delete from facteur.recent_event where (id_site, at, id_provider, event) in (
      select id_site, at, id_provider, event from facteur.recent_event
      where at < now() - ${recentHours} * interval '1 hour' for update skip locked)),
  recent as (
    insert into facteur.recent_event as r (id_site, at, id_provider, event, total)
    select id_site, date_bin('10 minutes', now(), 'epoch'), id_provider, event, total from ${givenColumns(events)}
    where id_provider > 0 and exists (select from turn)
    order by 1, 2, 3, 4
    on conflict (id_site, at, id_provider, event) do update set total = r.total + excluded.total)`;

/** In the order of the key, so that two processes that flush never wait for each other. */
function addStatement(events: readonly EventTotal[], turn?: Sql): Sql {
  const add = (condition: Sql) => sql`
    insert into facteur.event_count as c (id_site, event, id_provider, total)
    select * from ${givenColumns(events)} where ${condition} order by 1, 2, 3
    on conflict (id_site, event, id_provider) do update set total = c.total + excluded.total`;
  return turn ? sql`with ${turn} ${add(sql`exists (select from turn)`)}` : add(sql`true`);
}
