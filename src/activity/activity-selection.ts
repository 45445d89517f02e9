import type { SiteTables } from '../platform/db/site-db.ts';
import { empty, join, type Sql, sql } from '../platform/db/sql.ts';
import { type Act, acts } from './act.ts';
import { bitsOf, type Counted, chunkOf, isCounted, type Times } from './bit-planes.ts';
import { dayWindowOf, type Period, type Spans, spansOf } from './day-window.ts';
import { hitKinds } from './hit.ts';
import { actChanges, changeOfFolded, changeOfFresh, hitColumns, isReal } from './hit-change.ts';
import { longestRangeS, type ReceiptState, receiptStates } from './receipt.ts';

/*
 * Conditions on a subscriber's activity, over the column `fld0` of their row. None is ever null, so `not` selects
 * exactly everyone else. Each is exact at the moment of the statement: it adds the sums of aggregated facts and the
 * facts that are not aggregated yet (fold-store.ts). Terms of all conditions:
 * - A sending counts if its job is a real one; test mailings never count, even if they are named.
 * - A **click** is every hit except those of the pixel: any kind of link, viral or not, of any class.
 * - An **open** is a fetch of the pixel, viral or not, of any class. A reader who clicked in a sending without fetching
 * its pixel (pictures switched off) has one open, at the time of the first click. `countersOfSents` counts the same
 * opens.
 * - `withoutMpp` ignores fetches of mail privacy protection: a reader who clicked, and has only such fetches, has one
 * open, at the first click. It does not affect clicks.
 * - A message is **received** when a relay has accepted it, at the time of its receipt, or of the outcome in the log of
 * an unfinished range. A refused message, or one whose acceptance is uncertain, is not received. A message that bounces
 * later was received.
 */

export type { Period, Times };

export interface Acts {
  readonly action: 'Click' | 'Open';
  readonly withoutMpp: boolean;
}

/** Condition: the subscriber did it `times` times in the period. */
export function actedInPeriod(t: SiteTables, of: Acts & { readonly period: Period }, times: Times): Sql {
  const { days, parts } = dayWindowOf(of.period);
  const sums = spansOf(days).map((spans) => sumsOfSpans(t, of, spans));
  const changes = [
    freshActs(t, of, sql`true`, within(of.period)),
    ...parts.map((part) => foldedActs(t, of, part)),
  ];
  return isCounted(t.subscriber, { sums: all(sums, noSums), changes: all(changes) }, times);
}

/**
 * Condition: in each group, the subscriber did it `times` times over its sendings. A group without sendings counts 0;
 * without groups all subscribers are selected.
 */
export function actedInSents(
  t: SiteTables,
  of: Acts & { readonly groups: readonly (readonly number[])[] },
  times: Times,
): Sql {
  return inEach(of.groups, (idsSent) => {
    const isNamed = sql`id_sent = any(${idsSent}::int[])`;
    return isCounted(
      t.subscriber,
      {
        sums: sql`select chunk, planes from ${t.act_by_sent} where act = ${actOf(of)} and ${isNamed}`,
        changes: freshActs(t, of, isNamed, sql`true`),
      },
      times,
    );
  });
}

/**
 * Condition: in each group, the subscriber did it `times` times in the period on its thematics. A click on a thematic
 * is one on a tracked link that has it now; an open of a thematic is one of a sending whose campaign has it now.
 * Thematics below another one count only if they are named.
 */
export function actedOnThematics(
  t: SiteTables,
  of: Acts & { readonly period: Period; readonly groups: readonly (readonly number[])[] },
  times: Times,
): Sql {
  return inEach(of.groups, (ids) => {
    const counted = of.action === 'Click' ? clicksOn(t, of.period, ids) : opensOn(t, of, ids);
    return isCounted(t.subscriber, counted, times);
  });
}

/** Condition: the subscriber received a sending of each group; no one received one of an empty group. */
export function receivedSents(t: SiteTables, groups: readonly (readonly number[])[]): Sql {
  return inEach(groups, (idsSent) => {
    const isNamed = sql`id_sent = any(${idsSent}::int[])`;
    const sums = sql`
      select chunk, array[received] as planes from ${t.received_by_day} where ${isNamed}
      union all ${freshReceptions(t, isNamed, sql`true`)}`;
    return isCounted(t.subscriber, { sums, changes: noChanges }, { min: 1, max: null });
  });
}

/**
 * Condition: in each group, the subscriber received none of the sendings, and at least one message ended in one of
 * these states. Not fulfilled for an empty group.
 */
export function notReachedBySents(
  t: SiteTables,
  groups: readonly (readonly number[])[],
  states: readonly ReceiptState[],
): Sql {
  return inEach(groups, (idsSent) => {
    const isNamed = sql`id_sent = any(${idsSent}::int[])`;
    const changes = sql`
      select id_subscriber, 1 as n
      from (
        ${receptions(t, sql`${isNamed} and states && ${states}::smallint[]`, states)}
        union all
        ${loggedOutcomes(t, states)}) r
      where ${isNamed} and ${isReal(t)}`;
    const hasState = isCounted(t.subscriber, { sums: noSums, changes }, { min: 1, max: null });
    return sql`(${hasState} and not ${receivedSents(t, [idsSent])})`;
  });
}

/**
 * Condition: the subscriber received `times` messages in the periods, which do not overlap; with `campaignTypes`, only
 * of campaigns that have one of these types now.
 */
export function receivedTimes(
  t: SiteTables,
  of: { readonly periods: readonly Period[]; readonly campaignTypes?: readonly string[] | null },
  times: Times,
): Sql {
  const isOfType = of.campaignTypes
    ? sentsWhere(t, sql`campaign_type = any(${of.campaignTypes}::text[])`)
    : sql`true`;
  const windows = of.periods.map(dayWindowOf);
  const sums = windows.map(
    ({ days: { from, to } }) => sql`
      select chunk, array[received] as planes from ${t.received_by_day}
      where day >= ${from}::date and day < ${to}::date and ${isOfType}`,
  );
  const isWithin = of.periods.length > 0 ? sql`(${join(of.periods.map(within), ' or ')})` : sql`false`;
  const changes = windows.flatMap(({ parts }) =>
    parts.map(
      (part) => sql`
        select id_subscriber, ${part.sign}::int as n
        from (${receptions(t, sql`is_folded and ${overlaps(part)}`)}) r
        where ${isReal(t)} and ${isOfType} and ${within(part)}`,
    ),
  );
  const counted = {
    sums: all([...sums, freshReceptions(t, isOfType, isWithin)]),
    changes: all(changes, noChanges),
  };
  return isCounted(t.subscriber, counted, times);
}

/**
 * Condition on a row of receipts: its first and last one allow some in the period. The length of a row is bounded, so
 * the index on its beginning finds it from both sides.
 */
function overlaps({ from, to }: Period): Sql {
  return sql`
    first_at < ${to}::timestamptz and first_at >= ${from}::timestamptz - ${longestRangeS} * interval '1 second'
    and last_at >= ${from}::timestamptz`;
}

const noChanges = sql`select null::int as id_subscriber, null::int as n where false`;
const noSums = sql`select null::int as chunk, null::bit varying[] as planes where false`;

function all(rows: readonly Sql[], none: Sql = empty): Sql {
  return rows.length > 0 ? join([...rows], ' union all ') : none;
}

function actOf({ action, withoutMpp }: Acts): Act {
  if (action === 'Click') return acts.click;
  return withoutMpp ? acts.openWithoutMpp : acts.open;
}

function within({ from, to }: Period): Sql {
  return sql`(at >= ${from}::timestamptz and at < ${to}::timestamptz)`;
}

function sumsOfSpans(t: SiteTables, of: Acts, { length, from, to }: Spans): Sql {
  return sql`
    select chunk, planes from ${t.act_by_day}
    where act = ${actOf(of)} and days = ${length} and day >= ${from}::date and day < ${to}::date`;
}

/**
 * Rows (id_subscriber, n): what hits that are not aggregated yet change, of some sendings and where `condition` holds.
 */
function freshActs(t: SiteTables, of: Acts, ofSents: Sql, condition: Sql): Sql {
  const fresh = sql`select ${hitColumns} from ${t.hit_new} where ${ofSents}`;
  // A click depends on no other hit.
  const change =
    of.action === 'Click'
      ? sql`select *, false as before, true as after from (${fresh}) fresh`
      : changeOfFresh(t, fresh);
  return changesIn(t, of, change, condition, 1);
}

/** Rows (id_subscriber, n) of the aggregated hits in a part of a day. */
function foldedActs(t: SiteTables, of: Acts, part: Period & { readonly sign: number }): Sql {
  const pairs = sql`select id_sent, id_subscriber from ${t.hit_folded} where ${within(part)}`;
  return changesIn(t, of, changeOfFolded(t, pairs), within(part), part.sign);
}

function changesIn(t: SiteTables, of: Acts, change: Sql, condition: Sql, sign: number): Sql {
  return sql`
    (with change as materialized (${change})
    select id_subscriber, n * ${sign}::int as n
    from (${actChanges(sql`change`, [actOf(of)])}) act
    where ${isReal(t, sql`select distinct id_sent from change`)} and ${condition})`;
}

/**
 * Opens of sendings of thematics. A sending whose hits are all within the period is in one sum; for the others, the
 * hits of the period are looked up.
 */
function opensOn(t: SiteTables, of: Acts & { readonly period: Period }, ids: readonly number[]): Counted {
  const { from, to } = of.period;
  const isOn = sentsWhere(t, sql`id_thematic = any(${ids}::int[])`);
  const isInside = sql`
    id_sent in (select id_sent from ${t.sent_counter} where first_at >= ${from} and last_at < ${to})`;
  const cut = sql`
    select id_sent, id_subscriber from ${t.hit_folded} where ${within(of.period)} and ${isOn} and not ${isInside}`;
  return {
    sums: sql`
      select chunk, planes from ${t.act_by_sent} where act = ${actOf(of)} and ${isOn} and ${isInside}`,
    changes: all([
      freshActs(t, of, isOn, within(of.period)),
      changesIn(t, of, changeOfFolded(t, cut), within(of.period), 1),
    ]),
  };
}

/**
 * Clicks on links, or on links of advertisements, of thematics. They are looked up by link, because no sum is by link.
 */
function clicksOn(t: SiteTables, period: Period, ids: readonly number[]): Counted {
  const changes = sql`
    select id_subscriber, 1 as n
    from ${t.hit}
    where kind <> ${hitKinds.open} and ${within(period)} and ${isReal(t)}
      and id_link in (select id_link from ${t.link_thematic} where id_thematic = any(${ids}::int[]))`;
  return { sums: noSums, changes };
}

/** Condition on `id_sent`: the sending now meets `condition`, over the columns of `known_sent`. */
const sentsWhere = (t: SiteTables, condition: Sql): Sql =>
  sql`id_sent in (select id from ${t.known_sent} where ${condition})`;

/**
 * Rows (chunk, planes): receptions that are in no sum yet. A statement sees a range as open, with its log, or as done,
 * with its receipts. No subscriber receives a sending twice, so each sending is a plane, and subscribers need not be
 * grouped.
 */
function freshReceptions(t: SiteTables, ofSents: Sql, condition: Sql): Sql {
  return sql`
    select ${chunkOf(sql`id_subscriber`)} as chunk, array[${bitsOf(sql`id_subscriber`)}::bit varying] as planes
    from (
      ${receptions(t, sql`not is_folded`)}
      union all
      ${loggedOutcomes(t, accepted)}) r
    where ${ofSents} and ${isReal(t)} and ${condition}
    group by id_sent, 1`;
}

const accepted: readonly ReceiptState[] = [receiptStates.accepted];

/** Rows (id_sent, id_subscriber, at) of final states in the logs of open ranges. */
function loggedOutcomes(t: SiteTables, states: readonly ReceiptState[]): Sql {
  return sql`
    select id_sent, id_subscriber, at from ${t.logged_outcome} where state = any(${states}::smallint[])`;
}

/** Rows (id_sent, id_subscriber, at) of the receipts of some ranges. Default: accepted ones. */
function receptions(t: SiteTables, ranges: Sql, states: readonly ReceiptState[] = accepted): Sql {
  return sql`
    select r.id_sent, one.id_subscriber, r.first_at + one.delay * interval '1 millisecond' as at
    from ${t.receipt_range} r, unnest(r.subscribers, r.states, r.delays) one (id_subscriber, state, delay)
    where ${ranges} and one.state = any(${states}::smallint[])`;
}

function inEach(groups: readonly (readonly number[])[], condition: (ids: readonly number[]) => Sql): Sql {
  return groups.length === 0 ? sql`true` : sql`(${join(groups.map(condition), ' and ')})`;
}
