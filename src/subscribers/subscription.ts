import { instantOf } from '../fields/field-value.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { join, type Sql, sql } from '../platform/db/sql.ts';
import { invalid } from '../platform/http/refusal.ts';
import { lockSubscribers } from './subscriber-store.ts';

/**
 * Unsubscribes one person from the newsletter: status 1, unsubscription date `at`. Somebody who is unsubscribed
 * already keeps the date of the first time, so that a repeated one-click POST changes nothing.
 * @returns whether the status changed.
 */
export async function unsubscribe(db: SiteDb, idSubscriber: number, at: Date): Promise<boolean> {
  const changed = await db.run(sql`
    update ${db.t.subscriber} set fld7 = 1, fld4 = ${at} where fld0 = ${idSubscriber} and fld7 = 0`);
  return changed > 0;
}

/**
 * Subscribes one person again whom an unsubscription of that very instant had unsubscribed.
 * @returns whether it had
 */
export async function undoUnsubscribe(db: SiteDb, idSubscriber: number, at: Date): Promise<boolean> {
  const changed = await db.run(sql`
    update ${db.t.subscriber} set fld7 = 0, fld4 = null
    where fld0 = ${idSubscriber} and fld7 = 1 and fld4 = ${at}`);
  return changed > 0;
}

/**
 * Writes an unsubscription to several persons at once; `assignments` are columns and values (`fld7 = 1, fld4 = …`).
 * The caller has locked the rows (`lockSubscribers`).
 * @param onlySubscribed omits who has status 1 already.
 * @returns the ids of those it was written to.
 */
export async function writeUnsubscription(
  tx: SiteDb,
  ids: readonly number[],
  assignments: Sql,
  onlySubscribed: boolean,
): Promise<Set<number>> {
  const rows = await tx.rows<{ id: number }>(sql`
    update ${tx.t.subscriber} set ${assignments}
    where fld0 = any(${ids}::int[]) and (fld7 = 0 or not ${onlySubscribed}::boolean) returning fld0 as id`);
  return new Set(rows.map(({ id }) => id));
}

/** A subscription as resubscribe and subscribe write it. */
export interface Subscription {
  readonly idSubscriber: number;
  readonly at: Date;
  readonly origin: string;
  readonly subscribeToPartnersOffers: boolean;
}

/** A subscription of somebody new; what is undefined stays as it is. */
export interface NewSubscription extends Subscription {
  readonly collectMode: string | undefined;
  readonly collectType: string | undefined;
}

/** Subscribes known persons again (status, last date, last origin); the ids that exist. No id twice. */
export async function resubscribeAll(
  tx: SiteDb,
  subscriptions: readonly Subscription[],
): Promise<Set<number>> {
  return writeSubscriptions(tx, subscriptions, [], []);
}

/** Subscribes new persons: first and last date and origin, how they were collected; the ids that exist. No id twice. */
export async function subscribeAll(
  tx: SiteDb,
  subscriptions: readonly NewSubscription[],
): Promise<Set<number>> {
  const first = [
    sql`, fld2 = given.at, fld5 = given.origin`,
    sql`, fld21 = coalesce(given.mode, fld21), fld22 = coalesce(given.type, fld22)`,
  ];
  return writeSubscriptions(tx, subscriptions, first, [
    sql`, ${subscriptions.map(({ collectMode }) => collectMode ?? null)}::text[]`,
    sql`, ${subscriptions.map(({ collectType }) => collectType ?? null)}::text[]`,
  ]);
}

/** `given` has the columns id, at, origin, partners, and those of `more`: mode, type. */
async function writeSubscriptions(
  tx: SiteDb,
  subscriptions: readonly Subscription[],
  assignments: readonly Sql[],
  more: readonly Sql[],
): Promise<Set<number>> {
  const ids = idsOf(subscriptions);
  const rows = await tx.rows<{ id: number }>(sql`
    update ${tx.t.subscriber} set fld7 = 0, fld3 = given.at, fld6 = given.origin,
      fld8 = case when given.partners then 1 else fld8 end,
      fld10 = case when given.partners then given.at else fld10 end${joined(assignments)}
    from unnest(${ids}::int[], ${subscriptions.map(({ at }) => at.toISOString())}::timestamptz[],
                ${subscriptions.map(({ origin }) => origin)}::text[],
                ${subscriptions.map((one) => one.subscribeToPartnersOffers)}::boolean[]${joined(more)})
      as given (id, at, origin, partners${more.length > 0 ? sql`, mode, type` : sql``})
    where fld0 = given.id returning fld0 as id`);
  return new Set(rows.map(({ id }) => id));
}

const idsOf = (list: readonly { readonly idSubscriber: number }[]) =>
  list.map(({ idSubscriber }) => idSubscriber);

const joined = (parts: readonly Sql[]): Sql => (parts.length > 0 ? join([...parts], '') : sql``);

/** An element of a call, with its place in it. */
export interface Placed<T> {
  readonly element: T;
  readonly position: number;
}

/**
 * Sorts the elements of a call into groups that hold no subscriber twice and whose elements have one `key`: each group
 * can be one statement. What is about one person stays in order, over the groups; what is about different persons has
 * none, for it does not touch each other. There are as many groups as keys, times how often one person comes.
 */
export function groupsOfDistinct<T extends { readonly idSubscriber: number }>(
  list: readonly T[],
  keyOf: (one: T) => string = () => '',
): Placed<T>[][] {
  const times = new Map<number, number>();
  const rounds: Map<string, Placed<T>[]>[] = [];
  for (const [position, element] of list.entries()) {
    const round = times.get(element.idSubscriber) ?? 0;
    times.set(element.idSubscriber, round + 1);
    rounds[round] ??= new Map();
    const key = keyOf(element);
    const group = rounds[round].get(key) ?? [];
    rounds[round].set(key, group);
    group.push({ element, position });
  }
  return rounds.flatMap((groups) => [...groups.values()]);
}

/** Field 44. */
export const deliveryState = { fine: 0, softBouncing: 1, hardBounced: 2, complained: 3 } as const;
export type DeliveryState = (typeof deliveryState)[keyof typeof deliveryState];

/**
 * Records what a bounce or a complaint says about an address (fields 44 and 45). The state only gets worse here: a
 * late soft bounce does not make a dead address alive; writing field 44 by the API does. Another soft bounce renews the
 * date, from which it is forgotten. A bounce of a message of before another address was given says nothing of the one
 * that is known now.
 * @param sentAt when the message was sent, for a bounce
 */
export async function worsenDelivery(
  db: SiteDb,
  idSubscriber: number,
  state: DeliveryState,
  { at, sentAt = at }: { readonly at: Date; readonly sentAt?: Date },
): Promise<void> {
  await db.run(sql`
    update ${db.t.subscriber} set fld44 = ${state}, fld45 = ${at}
    where fld0 = ${idSubscriber} and ${isNews(state, sql`${at}::timestamptz`)}
      and ${isStillOf(sql`${sentAt}::timestamptz`)}`);
}

/** Is the state worse than the one that is known, or the same soft one found again, later? */
const isNews = (state: DeliveryState, at: Sql): Sql => {
  if (state !== deliveryState.softBouncing) return sql`fld44 < ${state}`;
  return sql`(fld44 < ${state} or fld44 = ${state} and (fld45 is null or fld45 < ${at}))`;
};

/** Is what was found at an instant about the address as it is known now? */
const isStillOf = (at: Sql): Sql => sql`(fld44 > 0 or fld45 is null or fld45 <= ${at})`;

/** Days for which a soft bounce says something about an address. */
const softBounceDays = 30;

/**
 * Takes those who have not bounced for a time as fine again, so many at most; how many they were. Rows that another
 * caller writes to are left for the next time.
 */
export async function forgetSoftBounces(db: SiteDb, at: Date, most: number): Promise<number> {
  const before = new Date(at.getTime() - softBounceDays * 86_400_000);
  return db.run(sql`
    update ${db.t.subscriber} s set fld44 = 0, fld45 = null from (
      select fld0 from ${db.t.subscriber} where fld44 = ${deliveryState.softBouncing} and fld45 < ${before}
      order by fld0 limit ${most} for no key update skip locked) old
    where s.fld0 = old.fld0`);
}

/** The same for several subscribers, each with the date of their. The caller has locked the rows; no id twice. */
export async function worsenDeliveries(
  tx: SiteDb,
  found: readonly { readonly idSubscriber: number; readonly at: Date }[],
  state: DeliveryState,
): Promise<void> {
  await tx.run(sql`
    update ${tx.t.subscriber} set fld44 = ${state}, fld45 = given.at
    from unnest(${idsOf(found)}::int[], ${found.map(({ at }) => at.toISOString())}::timestamptz[]) as given (id, at)
    where fld0 = given.id and ${isNews(state, sql`given.at`)} and ${isStillOf(sql`given.at`)}`);
}

/** Writes a list in one transaction, group by group; for each element, in order, whether its person exists. */
export async function writeInGroups<T extends { readonly idSubscriber: number }>(
  db: SiteDb,
  list: readonly T[],
  write: (tx: SiteDb, group: readonly T[]) => Promise<Set<number>>,
): Promise<boolean[]> {
  return db.transaction(async (tx) => {
    await lockSubscribers(tx, idsOf(list));
    const results: boolean[] = list.map(() => false);
    for (const group of groupsOfDistinct(list)) {
      const written = await write(
        tx,
        group.map(({ element }) => element),
      );
      for (const { element, position } of group) results[position] = written.has(element.idSubscriber);
    }
    return results;
  });
}

/** The `date` of an element, now by default. @throws 400 for a date-time that no calendar has. */
export function dateOf(date: string | null | undefined, position: number, now: Date): Date {
  if (date === undefined || date === null) return now;
  const at = instantOf(date);
  if (!at)
    throw invalid(`[${position}].date: must be a valid date-time, for example 2026-12-24T08:30:00+01:00`);
  return at;
}
