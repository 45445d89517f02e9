import type { Field } from '../fields/field.ts';
import { instantOf } from '../fields/field-value.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { empty, type Sql, sql } from '../platform/db/sql.ts';
import { invalid } from '../platform/http/refusal.ts';
import { visibleName } from '../platform/http/visible-name.ts';
import { keptIn } from '../platform/remembered.ts';
import type { Writing } from './field-change.ts';
import { systemFields, updateGiven } from './field-change-store.ts';
import { lockSubscribers } from './subscriber-store.ts';

/** Unsubscribes at `at`; an earlier date stays, so a repeated POST changes nothing. Returns whether it changed. */
export async function unsubscribe(db: SiteDb, idSubscriber: number, at: Date): Promise<boolean> {
  return db.touches(sql`
    update ${db.t.subscriber} set fld7 = 1, fld4 = ${at} where fld0 = ${idSubscriber} and fld7 = 0`);
}

/** Resubscribes a subscriber who was unsubscribed at exactly that instant. @returns whether they were */
export async function undoUnsubscribe(db: SiteDb, idSubscriber: number, at: Date): Promise<boolean> {
  return db.touches(sql`
    update ${db.t.subscriber} set fld7 = 0, fld4 = null
    where fld0 = ${idSubscriber} and fld7 = 1 and fld4 = ${at}`);
}

/** What an unsubscription writes. */
export interface Unsubscribing {
  /** Columns and values (`fld7 = 1, fld4 = …`), and their fields. */
  readonly assignments: Sql;
  readonly fields: readonly Pick<Field, 'id' | 'fieldType'>[];
}

/**
 * Writes an unsubscription to several subscribers, and keeps what a user changed. The caller has locked the rows
 * (`lockSubscribers`).
 * @param onlySubscribed skips subscribers who already have status 1.
 * @returns the ids of the written rows.
 */
export async function writeUnsubscription(
  tx: SiteDb,
  ids: readonly number[],
  { assignments, fields, onlySubscribed }: Unsubscribing & { readonly onlySubscribed: boolean },
  writing: Writing,
): Promise<Set<number>> {
  const given = sql`unnest(${ids}::int[]) as i (id)`;
  const where = sql`(s.fld7 = 0 or not ${onlySubscribed}::boolean)`;
  const update = { set: assignments, given, where, fields, select: sql`fld0 as id` };
  return new Set(await tx.values<number>(updateGiven(tx, update, writing)));
}

/** An element of subscribe or resubscribe: the origin is that of a new subscriber, or the latest one. */
type GivenSubscription<Origin extends string> = {
  readonly idSubscriber: number;
  readonly date?: string | null;
  readonly collectMode?: string | null;
  readonly collectType?: string | null;
  readonly subscribeToPartnersOffers?: boolean | null;
} & { readonly [Name in Origin]: string };

/**
 * Subscribes people in one transaction: status, last date and origin, how they were collected. New people get the first
 * date and origin too. Keeps what a user changed. Returns for each element, in order, whether its subscriber exists.
 * @throws 400 for an invalid date-time or origin
 */
export async function subscribeAll<Origin extends 'firstOrigin' | 'lastOrigin'>(
  db: SiteDb,
  given: readonly GivenSubscription<Origin>[],
  member: Origin,
  writing: Writing,
): Promise<boolean[]> {
  const list = given.map((one, position) => ({
    ...one,
    at: dateOf(one.date, position, writing.at),
    origin: visibleName(one[member], `[${position}].${member}`),
  }));
  const first = member === 'firstOrigin' ? sql`, fld2 = i.at, fld5 = i.origin` : empty;
  const fields = systemFields(2, 3, 5, 6, 7, 8, 10, 21, 22);
  return db.transaction(async (tx) => {
    await lockSubscribers(tx, idsOf(list));
    const results: boolean[] = list.map(() => false);
    for (const group of groupsOfDistinct(list)) {
      const of = <T>(value: (one: (typeof list)[number]) => T) => group.map(({ element }) => value(element));
      const set = sql`fld7 = 0, fld3 = i.at, fld6 = i.origin,
        fld8 = case when i.partners then 1 else s.fld8 end,
        fld10 = case when i.partners then i.at else s.fld10 end,
        fld21 = coalesce(i.mode, s.fld21), fld22 = coalesce(i.type, s.fld22)${first}`;
      const rows = sql`
        unnest(${of((one) => one.idSubscriber)}::int[], ${of(({ at }) => at.toISOString())}::timestamptz[],
            ${of(({ origin }) => origin)}::text[],
            ${of((one) => one.subscribeToPartnersOffers ?? false)}::boolean[],
            ${of(({ collectMode }) => collectMode ?? null)}::text[],
            ${of(({ collectType }) => collectType ?? null)}::text[])
          as i (id, at, origin, partners, mode, type)`;
      const update = { set, given: rows, fields, select: sql`fld0 as id` };
      const written = new Set(await tx.values<number>(updateGiven(tx, update, writing)));
      for (const { element, position } of group) results[position] = written.has(element.idSubscriber);
    }
    return results;
  });
}

const idsOf = (list: readonly { readonly idSubscriber: number }[]) =>
  list.map(({ idSubscriber }) => idSubscriber);

/** An element of a call with its position. */
export interface Placed<T> {
  readonly element: T;
  readonly position: number;
}

/**
 * Sorts the elements of a call into groups without repeated subscribers and with one `key`, so that each group can be
 * one statement. Elements of one subscriber stay in order over the groups; those of different subscribers need no
 * order, because they do not affect each other. There are as many groups as keys, times the repetitions of one
 * subscriber.
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
    keptIn(rounds[round], keyOf(element), () => []).push({ element, position });
  }
  return rounds.flatMap((groups) => [...groups.values()]);
}

/** The values of field 44. */
export const deliveryState = { fine: 0, softBouncing: 1, hardBounced: 2, complained: 3 } as const;
export type DeliveryState = (typeof deliveryState)[keyof typeof deliveryState];

/**
 * Records the effect of a bounce or a complaint on an address (fields 44 and 45). The state only gets worse: a late
 * soft bounce does not revive a dead address; writing field 44 by the API does. Another soft bounce renews the date,
 * from which it expires. A bounce of a message that was sent before the address changed does not affect the new
 * address.
 * @param sentAt when the message was sent, for a bounce
 */
export function worsenDelivery(
  db: SiteDb,
  idSubscriber: number,
  state: DeliveryState,
  when: { readonly at: Date; readonly sentAt?: Date },
): Promise<void> {
  return worsenDeliveries(db, [{ idSubscriber, ...when }], state);
}

/** Condition: the state is worse than the stored one, or the same soft bounce at a later time. */
const isNews = (state: DeliveryState): Sql => {
  if (state !== deliveryState.softBouncing) return sql`fld44 < ${state}`;
  return sql`(fld44 < ${state} or fld44 = ${state} and (fld45 is null or fld45 < given.at))`;
};

/** Days after which a soft bounce expires. */
const softBounceDays = 30;

/** Resets up to `most` subscribers without a recent bounce; returns how many. Rows being written wait. */
export async function forgetSoftBounces(db: SiteDb, at: Date, most: number): Promise<number> {
  const before = new Date(at.getTime() - softBounceDays * 86_400_000);
  return db.run(sql`
    update ${db.t.subscriber} s set fld44 = 0, fld45 = null from (
      select fld0 from ${db.t.subscriber} where fld44 = ${deliveryState.softBouncing} and fld45 < ${before}
      order by fld0 limit ${most} for no key update skip locked) old
    where s.fld0 = old.fld0`);
}

/** `worsenDelivery` for several locked subscribers, each with its date; no id twice. */
export async function worsenDeliveries(
  tx: SiteDb,
  found: readonly { readonly idSubscriber: number; readonly at: Date; readonly sentAt?: Date }[],
  state: DeliveryState,
): Promise<void> {
  await tx.run(sql`
    update ${tx.t.subscriber} set fld44 = ${state}, fld45 = given.at
    from unnest(${idsOf(found)}::int[], ${found.map(({ at }) => at.toISOString())}::timestamptz[],
      ${found.map(({ at, sentAt = at }) => sentAt.toISOString())}::timestamptz[]) as given (id, at, sent_at)
    where fld0 = given.id and ${isNews(state)} and (fld44 > 0 or fld45 is null or fld45 <= given.sent_at)`);
}

/** The `date` of an element; default: now. @throws 400 for an invalid date-time. */
function dateOf(date: string | null | undefined, position: number, now: Date): Date {
  if (date === undefined || date === null) return now;
  const at = instantOf(date);
  if (!at)
    throw invalid(`[${position}].date: must be a valid date-time, for example 2026-12-24T08:30:00+01:00`);
  return at;
}
