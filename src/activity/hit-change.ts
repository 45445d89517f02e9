import type { SiteTables } from '../platform/db/site-db.ts';
import { empty, join, raw, type Sql, sql } from '../platform/db/sql.ts';
import { type Act, acts } from './act.ts';
import { hitKinds } from './hit.ts';
import { hitClasses, machineClasses } from './hit-class.ts';

/*
 * The meaning of hits is defined here once, as a change: rows (id_sent, id_subscriber, kind, class, is_viral, at,
 * before, after). They are all hits of the pairs of sending and subscriber that the change is about, each with whether
 * it counts before and after it. Aggregating, reading what is not aggregated yet, and reclassifying are changes of this
 * one kind, so they cannot disagree. The pair must be complete, because whether a click implies an open depends on the
 * reader's other hits.
 */

/** The columns of a hit that a change needs. */
export const hitColumns = sql`id_sent, id_subscriber, kind, class, is_viral, at, is_mobile`;

/** The change that `fresh`, rows of hits that are in no sum, make to the aggregated ones. */
export function changeOfFresh(t: SiteTables, fresh: Sql): Sql {
  return sql`
    with given as materialized (${fresh})
    select ${hitColumns}, false as before, true as after from given
    union all
    select ${hitColumns}, true, true
    from (${foldedHitsOf(t, sql`select id_sent, id_subscriber from given`)}) folded`;
}

/** All aggregated hits of pairs, as a change to empty sums. */
export function changeOfFolded(t: SiteTables, pairs: Sql): Sql {
  return sql`select ${hitColumns}, false as before, true as after from (${foldedHitsOf(t, pairs)}) folded`;
}

/**
 * All aggregated hits of pairs (id_sent, id_subscriber). Months before a sending's first hit are skipped: `offset 0`
 * makes the inner query run with the pair's values, by which PostgreSQL prunes them (5,000 pairs over seven months: 24
 * ms, not 65).
 */
export function foldedHitsOf(t: SiteTables, pairs: Sql): Sql {
  return sql`
    select h.*
    from (select distinct id_sent, id_subscriber from (${pairs}) pairs) pair
    join ${t.sent_counter} c on c.id_sent = pair.id_sent
    cross join lateral (
      select * from ${t.hit_folded} h
      where h.at >= c.first_at and h.id_sent = pair.id_sent and h.id_subscriber = pair.id_subscriber
      offset 0) h`;
}

/** Rows (act, id_sent, id_subscriber, at, n): `n` more, or fewer, of the `wanted` acts. `change` names a change. */
export function actChanges(change: Sql, wanted: readonly Act[] = Object.values(acts)): Sql {
  const isOpen = sql`kind = ${hitKinds.open}`;
  const isPlain = sql`(${isOpen} and class <> ${hitClasses.mpp})`;
  const hitOf: Record<Act, Sql> = {
    [acts.open]: isOpen,
    [acts.openWithoutMpp]: isPlain,
    [acts.click]: sql`not (${isOpen})`,
  };
  // A statement for each act, so that a query of one act reads no other's.
  const hits = wanted.map(
    (act) => sql`
    select ${act}::int as act, id_sent, id_subscriber, at, after::int - before::int as n
    from ${change} c where before <> after and ${hitOf[act]}`,
  );
  const clicksThatTell = wanted
    .filter((act) => act !== acts.click)
    .map((act) => clicksTellingOf(change, act, hitOf[act]));
  return join([...hits, ...clicksThatTell], ' union all ');
}

/** The opens of pairs that only a click implies: they are at the first click, and end when a fetch follows. */
function clicksTellingOf(change: Sql, act: Act, isOne: Sql): Sql {
  const isClick = sql`kind <> ${hitKinds.open}`;
  const firstClick = (when: Sql) => sql`
    case when not coalesce(bool_or(${when} and ${isOne}), false)
      then min(at) filter (where ${when} and ${isClick}) end`;
  return sql`
    select ${act}::int, id_sent, id_subscriber, told.at, told.n
    from (
      select id_sent, id_subscriber, ${firstClick(sql`before`)} as was, ${firstClick(sql`after`)} as is_now
      from ${change} c
      group by id_sent, id_subscriber) pair
    cross join lateral (values (was, -1), (is_now, 1)) told (at, n)
    where was is distinct from is_now and told.at is not null`;
}

/** The counters that are made of hits, with their columns in sent_counter. */
export const hitCounters = {
  nbOpenings: 'openings',
  nbOpeners: 'openers',
  nbHumanOpenings: 'human_openings',
  nbHumanOpeners: 'human_openers',
  nbClicks: 'clicks',
  nbClickers: 'clickers',
  nbHumanClickers: 'human_clickers',
  nbEditoClicks: 'edito_clicks',
  nbEditoClickers: 'edito_clickers',
  nbAdClicks: 'ad_clicks',
  nbAdClickers: 'ad_clickers',
  nbMirrorClicks: 'mirror_clicks',
  nbMirrorClickers: 'mirror_clickers',
  nbUnsubClicks: 'unsub_clicks',
  nbUnsubClickers: 'unsub_clickers',
  nbViralClicks: 'viral_clicks',
  nbViralClickers: 'viral_clickers',
} as const;

const isHuman = sql`class <> all(${machineClasses}::smallint[])`;

/** Rows (id_sent, id_subscriber, n): `n` is 1 for a person who becomes an opener, -1 for one who ceases to be one. */
export const humanOpenerChanges = (change: Sql): Sql => sql`
  select id_sent, id_subscriber, is_now::int - was::int as n
  from (
    select id_sent, id_subscriber, coalesce(bool_or(before and ${isHuman}), false) as was,
      coalesce(bool_or(after and ${isHuman}), false) as is_now
    from ${change} c
    group by id_sent, id_subscriber) pair
  where was <> is_now`;

/** Ranges with fewer recipients may overlap others, for example those of single sends. */
const overlappingBelow = 500;

/**
 * Rows (id_sent, id_subscriber): people who opened or clicked, by the aggregated hits. `ranges` names rows of
 * receipt_range. The hits of a large range are read at once, between its ends, and those of a small one by recipient,
 * so the cost is that of the ranges, not of the sending.
 */
export const humanOpenersIn = (t: SiteTables, ranges: Sql): Sql => sql`
  select distinct r.id_sent, h.id_subscriber
  from ${ranges} r
    join ${t.sent_counter} c on c.id_sent = r.id_sent
    cross join lateral (
      select r.first_subscriber, r.last_subscriber where cardinality(r.subscribers) >= ${overlappingBelow}
      union all
      select id, id from unnest(r.subscribers) id where cardinality(r.subscribers) < ${overlappingBelow}
    ) span (first_id, last_id)
    cross join lateral (
      select h.id_subscriber from ${t.hit_folded} h
      where h.at >= c.first_at and h.id_sent = r.id_sent and h.id_subscriber between first_id and last_id
        and ${isHuman}
      offset 0) h`;

/**
 * Rows (id_sent, and a column for each of hitCounters): how the counters change. Hits are grouped by reader, because
 * readers are distinct and a click without an open counts as one open more.
 * @param by another column of the change to group by: a comma and its name. Each value is counted as if the other hits
 * did not exist, so clicks add up over the values, and a reader may count in several.
 */
export function counterChanges(change: Sql, by: Sql = empty): Sql {
  const { open, editorial, mirror, unsubscription, advertisement } = hitKinds;
  const clicks = (kind: number) => sql`count(*) filter (where kind = ${kind} and not is_viral)`;
  const total = (column: Sql) => sql`sum(sign * ${column})::bigint`;
  const readers = (condition: Sql) => sql`coalesce(sum(sign) filter (where ${condition}), 0)::bigint`;
  const ofKind = (kind: string) => sql`
      ${total(raw(kind))} as ${raw(kind)}_clicks, ${readers(sql`${raw(kind)} > 0`)} as ${raw(kind)}_clickers`;
  return sql`
    select id_sent${by},
      ${total(sql`greatest(opens, least(clicks, 1))`)} as openings, ${readers(sql`opens + clicks > 0`)} as openers,
      ${total(sql`greatest(human_opens, least(human_clicks, 1))`)} as human_openings,
      ${readers(sql`human_opens + human_clicks > 0`)} as human_openers,
      ${total(sql`clicks`)} as clicks, ${readers(sql`clicks > 0`)} as clickers,
      ${readers(sql`human_clicks > 0`)} as human_clickers,
      ${join(['edito', 'ad', 'mirror', 'unsub', 'viral'].map(ofKind))}
    from (
      select id_sent${by}, s.sign,
        count(*) filter (where kind = ${open}) as opens,
        count(*) filter (where kind = ${open} and ${isHuman}) as human_opens,
        count(*) filter (where kind <> ${open}) as clicks,
        count(*) filter (where kind <> ${open} and ${isHuman}) as human_clicks,
        ${clicks(editorial)} as edito,
        ${clicks(advertisement)} as ad,
        ${clicks(mirror)} as mirror,
        ${clicks(unsubscription)} as unsub,
        count(*) filter (where kind <> ${open} and is_viral) as viral
      from ${change} c
      cross join lateral (values (-1, before), (1, after)) s (sign, counts)
      where s.counts
      group by id_sent${by}, id_subscriber, s.sign) reader
    group by id_sent${by}`;
}

/**
 * Condition on `id_sent`: it belongs to a real job; filters use no sum with test mailings. With `among`, a query of all
 * sendings in question, only those are looked up; without it PostgreSQL may read all of the site.
 */
export function isReal(t: SiteTables, among?: Sql): Sql {
  // An array makes PostgreSQL look them up one by one, whatever number it expects.
  const isAsked = among ? sql`and s.id = any(array(${among}))` : empty;
  return sql`id_sent in (
    select s.id from ${t.known_sent} s where not s.is_test ${isAsked})`;
}
