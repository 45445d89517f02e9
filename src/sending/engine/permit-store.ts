import type { Connection } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { hasEnded } from '../../platform/process-name.ts';

/** Milliseconds that a process holds permits of connections without renewing them. */
export const permitLeaseMs = 15_000;
/** Seconds after which the remainder of an equal division goes to the next process, so that each gets some. */
const turnS = 10;

const leaseEnd = sql`clock_timestamp() + ${permitLeaseMs} * interval '1 ms'`;

/** The processes that want connections of one limit at this moment, this one included. */
export interface Demand {
  readonly count: number;
  /** This process's place among them, from 0. */
  readonly rank: number;
  /** A number that grows with time, the same for all of them. */
  readonly turn: number;
}

/** Returns this process's share of `max` permits: an equal part, and some of the remainder in turn. */
export function shareOf(max: number, { count, rank, turn }: Demand): number {
  return Math.floor(max / count) + ((rank + turn) % count < max % count ? 1 : 0);
}

/**
 * Records that `owner` wants connections of a limit, and returns the demand of all processes. Releases everything that
 * processes of this machine held when they ended.
 */
export async function demandConnections(control: Connection, key: string, owner: string): Promise<Demand> {
  // Skips locked rows, so that processes that clear up at the same time do not wait for each other.
  const { wanting, holding, turn } = await control.one<{
    wanting: string[];
    holding: string[];
    turn: number;
  }>(sql`
    with gone as (
      select owner from facteur.permit_demand
      where key = ${key} and until < clock_timestamp() - interval '1 minute' and owner <> ${owner}
      for update skip locked),
    cleared as (
      delete from facteur.permit_demand d using gone where d.key = ${key} and d.owner = gone.owner),
    own as (
      insert into facteur.permit_demand as d (key, owner, until)
      values (${key}, ${owner}, ${leaseEnd})
      on conflict (key, owner) do update set until = excluded.until)
    select
      array(select owner from facteur.permit_demand
        where key = ${key} and owner <> ${owner} and until > clock_timestamp()) as wanting,
      array(select distinct owner from facteur.connection_permit where key = ${key}) as holding,
      floor(extract(epoch from clock_timestamp()) / ${turnS})::int as turn`);
  const ended = [...new Set([...wanting, ...holding])].filter(hasEnded);
  if (ended.length > 0) await releaseConnections(control, ended);
  const others = wanting.filter((other) => !ended.includes(other));
  return { count: others.length + 1, rank: others.filter((other) => other < owner).length, turn };
}

/**
 * Brings the connections of `owner` to `wanted` of a limit's `max`, in one statement: renews its own, releases the
 * surplus and acquires free ones. All processes together stay within the limit, except that a process that froze for
 * longer than its lease may exceed it for a moment.
 * @param key the limit, for example `route:7` or `provider:3`
 * @returns the number of permits that `owner` has now
 */
export async function acquireConnections(
  control: Connection,
  key: string,
  owner: string,
  { max, wanted }: { readonly max: number; readonly wanted: number },
): Promise<number> {
  return control.run(sql`
    with chosen as materialized (
      select n as number
      from generate_series(1, ${max}::int) n
        left join facteur.connection_permit permit on permit.key = ${key} and permit.number = n
      where permit.owner is null or permit.owner = ${owner} or permit.held_until < clock_timestamp()
      order by permit.owner is not distinct from ${owner} desc, n
      limit ${wanted}),
    released as (
      delete from facteur.connection_permit
      where key = ${key} and owner = ${owner} and number not in (select number from chosen))
    insert into facteur.connection_permit as permit (key, number, owner, held_until)
    select ${key}, number, ${owner}, ${leaseEnd} from chosen
    on conflict (key, number) do update
    set owner = excluded.owner, held_until = excluded.held_until
    where permit.held_until < clock_timestamp() or permit.owner = excluded.owner`);
}

/** Releases the owners' connections and withdraws their demand, of one limit or, if `key` is omitted, of all. */
export async function releaseConnections(
  control: Connection,
  owners: readonly string[],
  key?: string,
): Promise<void> {
  await control.run(sql`
    delete from facteur.connection_permit
    where owner = any(${owners}::text[]) and (${key ?? null}::text is null or key = ${key ?? null})`);
  await withdrawDemand(control, owners, key);
}

/** Withdraws the owners' demand; they keep the connections that they hold. */
export async function withdrawDemand(
  control: Connection,
  owners: readonly string[],
  key?: string,
): Promise<void> {
  await control.run(sql`
    delete from facteur.permit_demand
    where owner = any(${owners}::text[]) and (${key ?? null}::text is null or key = ${key ?? null})`);
}

/** A limit of messages per hour: of a job, a route or a provider. */
export interface HourlyLimit {
  /** Name of the limit's token bucket, for example `provider:3`. */
  readonly key: string;
  /** 0 means no limit. */
  readonly perHour: number;
}

/** Seconds' worth of a rate that a process acquires ahead, so that a limit costs few statements. */
const acquiredAheadS = 0.5;
/** Seconds' worth of a rate that may be sent at once after a pause; at least one message. */
const burstS = 1;

/**
 * Acquires about half a second's worth of a limit's messages.
 * @returns how many were acquired, and the milliseconds until the bucket has another one
 */
export async function acquireMessages(
  control: Connection,
  { key, perHour }: HourlyLimit,
): Promise<{ acquired: number; waitMs: number }> {
  const perS = perHour / 3600;
  const burst = Math.max(1, perS * burstS);
  const wanted = Math.max(1, Math.ceil(perS * acquiredAheadS));
  await control.run(sql`
    insert into facteur.send_bucket (key, tokens, filled_at) values (${key}, ${burst}, clock_timestamp())
    on conflict do nothing`);
  // Locks the bucket, fills it by the time that has passed, and takes from it, in one statement.
  const { acquired, left } = await control.one<{ acquired: number; left: number }>(sql`
    with bucket as materialized (
      select key, least(${burst}::float8, tokens
        + greatest(0, extract(epoch from clock_timestamp() - filled_at)) * ${perS}::float8) as available
      from facteur.send_bucket where key = ${key} for update),
    taken as materialized (
      select key, available, least(${wanted}::float8, floor(available)) as acquired from bucket)
    update facteur.send_bucket b
    set tokens = taken.available - taken.acquired, filled_at = clock_timestamp()
    from taken where b.key = taken.key
    returning taken.acquired::int as acquired, b.tokens as left`);
  return { acquired, waitMs: Math.min(60_000, (Math.max(0, 1 - left) / perS) * 1000) };
}

/** Whether a limit's messages are used up for now, so that a message that it limits waits on purpose. */
export async function areMessagesUsedUp(
  control: Connection,
  { key, perHour }: HourlyLimit,
): Promise<boolean> {
  if (perHour === 0) return false;
  const found = await control.first<{ usedUp: boolean }>(sql`
    select tokens + greatest(0, extract(epoch from clock_timestamp() - filled_at)) * ${perHour / 3600}::float8 < 1
      as "usedUp"
    from facteur.send_bucket where key = ${key}`);
  return found?.usedUp ?? false;
}
