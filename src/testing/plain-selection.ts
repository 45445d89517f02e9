import type { Acts, Period, Times } from '../activity/activity-selection.ts';
import { hitKinds } from '../activity/hit.ts';
import { hitClasses } from '../activity/hit-class.ts';
import { receiptStates } from '../activity/receipt.ts';
import type { SiteTables } from '../platform/db/site-db.ts';
import { join, type Sql, sql } from '../platform/db/sql.ts';

/*
 * The conditions of activity/activity-selection.ts in their plain formulation, over raw facts with grouping:
 * what the fast ones are tested and measured against.
 */

/** Subscribers who did it `times` times in the period. */
export function actedInPeriod(t: SiteTables, acts: Acts & { readonly period: Period }, times: Times): Sql {
  return holds(sql`(${actsOf(t, acts)}) act where ${isReal(t)} and ${isWithin([acts.period])}`, times);
}

/**
 * Subscribers who did it `times` times in total over the sendings of a group, for each of the groups. A group without
 * sendings counts 0; without groups all subscribers are selected.
 */
export function actedInSents(
  t: SiteTables,
  acts: Acts & { readonly groups: readonly (readonly number[])[] },
  times: Times,
): Sql {
  return inEach(acts.groups, (idsSent) =>
    holds(sql`(${actsOf(t, acts)}) act where ${isReal(t)} and id_sent = any(${idsSent}::int[])`, times),
  );
}

/**
 * Subscribers who did it `times` times in the period on the thematics of a group in total, for each of the groups. A
 * click on a thematic is one on a tracked link that has it now, itself or its advertisement; an open of a thematic is
 * one of a sending of a campaign that has it now. Thematics below another one count by themselves only.
 */
export function actedOnThematics(
  t: SiteTables,
  acts: Acts & { readonly period: Period; readonly groups: readonly (readonly number[])[] },
  times: Times,
): Sql {
  return inEach(acts.groups, (ids) => {
    const is = sql`= any(${ids}::int[])`;
    const isOnThematic =
      acts.action === 'Click'
        ? sql`id_link in (
            select l.id from ${t.tracked_link} l
            where (l.parameters ->> 'idThematic')::int ${is}
              or exists (select from ${t.advertisement} a
                where a.id = l.id_advertisement and exists (select from unnest(a.ids_thematic) one where one ${is})))`
        : sql`id_sent in (
            select s.id
            from ${t.sent} s join ${t.job} j on j.id = s.id_job join ${t.campaign} c on c.id = j.id_campaign
            where (c.parameters ->> 'idThematic')::int ${is})`;
    const within = isWithin([acts.period]);
    return holds(sql`(${actsOf(t, acts)}) act where ${isReal(t)} and ${within} and ${isOnThematic}`, times);
  });
}

/**
 * Subscribers who received one of the sendings of a group, for each of the groups; an empty one selects no subscriber.
 */
export function receivedSents(t: SiteTables, groups: readonly (readonly number[])[]): Sql {
  return inEach(groups, (idsSent) =>
    holds(sql`(${receptionsOf(t)}) act where ${isReal(t)} and id_sent = any(${idsSent}::int[])`, {
      min: 1,
      max: null,
    }),
  );
}

/**
 * Subscribers who received `times` messages in the periods, which do not overlap; with `campaignTypes` only messages of
 * campaigns that have one of these types now.
 */
export function receivedTimes(
  t: SiteTables,
  of: { readonly periods: readonly Period[]; readonly campaignTypes?: readonly string[] | null },
  times: Times,
): Sql {
  const ofTypes = of.campaignTypes
    ? sql` and id_sent in (
        select s.id
        from ${t.sent} s join ${t.job} j on j.id = s.id_job join ${t.campaign} c on c.id = j.id_campaign
        where coalesce(c.parameters ->> 'type', 'Unknown') = any(${of.campaignTypes}::text[]))`
    : sql``;
  return holds(sql`(${receptionsOf(t)}) act where ${isReal(t)} and ${isWithin(of.periods)}${ofTypes}`, times);
}

/** Rows (id_sent, id_subscriber, id_link, at). */
function actsOf(t: SiteTables, { action, withoutMpp }: Acts): Sql {
  if (action === 'Click') {
    return sql`select id_sent, id_subscriber, id_link, at from ${t.hit} where kind <> ${hitKinds.open}`;
  }
  const mpp = sql`class = ${hitClasses.mpp}`;
  const isOpen = withoutMpp ? sql`(kind = ${hitKinds.open} and not ${mpp})` : sql`kind = ${hitKinds.open}`;
  return sql`
    select id_sent, id_subscriber, null::bigint as id_link, at from ${t.hit} where ${isOpen}
    union all
    select id_sent, id_subscriber, null, min(at) filter (where kind <> ${hitKinds.open})
    from ${t.hit}
    group by id_sent, id_subscriber
    having not bool_or(${isOpen}) and bool_or(kind <> ${hitKinds.open})`;
}

/** Rows (id_sent, id_subscriber, at). A statement sees a range open, with its log, or done, with its receipts. */
function receptionsOf(t: SiteTables): Sql {
  return sql`
    select id_sent, id_subscriber, at from ${t.receipt} where state = ${receiptStates.accepted}
    union all
    select r.id_sent, o.id_subscriber, l.at
    from ${t.recipient_range} r
      join ${t.send_log} l on l.id_job = r.id_job and l.range_number = r.number,
      unnest(l.outcomes, l.states) o (id_subscriber, state)
    where not r.is_done and o.state = ${receiptStates.accepted}`;
}

function isReal(t: SiteTables): Sql {
  return sql`id_sent in (select s.id from ${t.sent} s join ${t.job} j on j.id = s.id_job where not j.is_test)`;
}

function isWithin(periods: readonly Period[]): Sql {
  const within = periods.map(({ from, to }) => sql`(at >= ${from}::timestamptz and at < ${to}::timestamptz)`);
  return within.length === 0 ? sql`false` : sql`(${join(within, ' or ')})`;
}

/** `from` is what follows the word, rows with an `id_subscriber`: the condition on how many of them are their. */
function holds(from: Sql, { min, max }: Times): Sql {
  const having = (count: Sql) => sql`
    fld0 in (select id_subscriber from ${from} group by id_subscriber having ${count})`;
  // A subscriber without a row has it 0 times and is in no group: that case is the complement of the others.
  if (min === 0) return max === null ? sql`true` : sql`not ${having(sql`count(*) > ${max}::int`)}`;
  if (max === null) return having(sql`count(*) >= ${min}::int`);
  return having(sql`count(*) between ${min}::int and ${max}::int`);
}

function inEach(groups: readonly (readonly number[])[], condition: (ids: readonly number[]) => Sql): Sql {
  return groups.length === 0 ? sql`true` : sql`(${join(groups.map(condition), ' and ')})`;
}
