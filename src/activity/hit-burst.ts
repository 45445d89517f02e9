import type { SiteTables } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { hitKinds } from './hit.ts';
import { foldedHitsOf, hitColumns } from './hit-change.ts';
import { type HitClass, hitClasses } from './hit-class.ts';

/*
 * The rules that need more than one hit. A reader who follows three different links of one message within three seconds
 * is a scanner, whatever it calls itself, and so are all clicks of such a stretch. An open within three seconds of such
 * a click is the scanner's as well, and so is one within three seconds of a fetch of the pixel by a scanner that is
 * known by itself: a HEAD request, or its user agent. The rules depend only on the hits of the pair of sending and
 * reader, and more hits can only make more bursts: so the order in which they came, were stored or aggregated does not
 * matter. Aggregation and reclassification store the class `burst`; hits that are not aggregated yet are judged when
 * they are read.
 */

const linksOfBurst = 3;
const span = sql`interval '3 seconds'`;
/** Classes of hits that may become part of a burst. The others are already machines by their user agent or method. */
const turned: readonly HitClass[] = [hitClasses.human, hitClasses.imageProxy];

const isOpen = sql`kind = ${hitKinds.open}`;
/** Condition on a click of the reader: a click through a forwarded message may be anyone's. */
const isClick = sql`(kind <> ${hitKinds.open} and not is_viral)`;
const burst = sql`${hitClasses.burst}::smallint`;

/** Condition on a hit of class `ofItself`, joined with the bursts: it is part of a burst. Null without a burst. */
const isTurned = (ofItself: Sql): Sql => sql`
  (not is_viral and ${ofItself} = any(${turned}::smallint[])
    and case when ${isOpen} then has_opens else has_clicks end)`;

/**
 * Rows (id_sent, id_subscriber, at, has_clicks, has_opens): each instant at which clicks, or opens, of a pair are part
 * of a burst. `hits` names rows with all hits of the pairs, and their id_link. Each hit is compared with those of the
 * next three seconds, which are few: one token stores 60 a minute.
 * @param ofItself the column with the class of a hit on its own.
 */
export function burstsOf(hits: Sql, ofItself: Sql): Sql {
  const pair = sql`partition by id_sent, id_subscriber order by at`;
  // The pages have no link, and count as links of their own.
  return sql`
    select id_sent, id_subscriber, at,
      coalesce(bool_or(not is_open), false) as has_clicks, coalesce(bool_or(is_open), false) as has_opens
    from (
      select id_sent, id_subscriber, at, is_open, case when is_open
        then bool_or(is_mark) over (${pair} range between ${span} preceding and ${span} following)
        else is_in end as is_burst
      from (
        select id_sent, id_subscriber, at, is_open, is_in, is_in or is_scanner as is_mark
        from (
          select id_sent, id_subscriber, at, is_open, is_open and of_itself = ${hitClasses.scanner} as is_scanner,
            not is_open and bool_or(begins) over (${pair} range between ${span} preceding and current row) as is_in
          from (
            select id_sent, id_subscriber, at, is_open, of_itself,
              not is_open and (select count(distinct link) from unnest(links) link) >= ${linksOfBurst} as begins
            from (
              select id_sent, id_subscriber, at, ${isOpen} as is_open, ${ofItself} as of_itself,
                array_agg(coalesce(id_link, -kind)) filter (where not ${isOpen})
                  over (${pair} range between current row and ${span} following) as links
              from ${hits} hits where not is_viral) hit) begun) judged) marked) bursting
    where is_burst
    group by id_sent, id_subscriber, at`;
}

/** The class of a hit, joined with the bursts `b`, if its own is `ofItself`. */
export const classWith = (ofItself: Sql): Sql => sql`
  case when ${isTurned(ofItself)} then ${burst} else ${ofItself} end`;

/**
 * Steps of a statement that end with `change` (hit-change.ts): what hits that are in no sum add, and how they change
 * aggregated ones. `given` has their hitColumns and id_link. Two steps are for aggregation: `bursts` has the bursts of
 * the given hits, `turning` (id_sent, id_subscriber, at, class, and the flags of `burstsOf`) the aggregated hits that
 * get the class burst.
 */
export function changeOfJudged(t: SiteTables, given: Sql): Sql {
  return sql`
    given as materialized (${given}),
    company as materialized (
      select ${hitColumns} from (${foldedHitsOf(t, sql`select id_sent, id_subscriber from given`)}) folded),
    -- Few readers click so often, or have a scanner. Only their links are looked up, which are not in the index, and
    -- only those near a given hit, because it can make a burst of no others.
    busy as materialized (
      select id_sent, id_subscriber, min(given_at) - 2 * ${span} as since, max(given_at) + 2 * ${span} as until
      from (
        select id_sent, id_subscriber, at as given_at, kind, is_viral, class from given
        union all
        select id_sent, id_subscriber, null, kind, is_viral, class from company) hit
      where not is_viral
      group by id_sent, id_subscriber
      having count(given_at) > 0 and (count(*) filter (where ${isClick}) >= ${linksOfBurst}
        or bool_or(${isOpen} and class = ${hitClasses.scanner})
          and bool_or(${isOpen} and class = any(${turned}::smallint[])))),
    followed as (
      select ${hitColumns}, id_link from given join busy using (id_sent, id_subscriber)
      union all
      select ${hitColumns}, id_link
      from busy cross join lateral (
        select kind, class, is_viral, at, is_mobile, id_link from ${t.hit_folded} h
        where h.at between since and until and h.id_sent = busy.id_sent and h.id_subscriber = busy.id_subscriber
        offset 0) folded),
    bursts as materialized (${burstsOf(sql`followed`, sql`class`)}),
    turning as materialized (
      select distinct id_sent, id_subscriber, at, class, has_clicks, has_opens
      from company join bursts using (id_sent, id_subscriber, at) where ${isTurned(sql`class`)}),
    change as materialized (
      select id_sent, id_subscriber, kind, ${classWith(sql`class`)} as class, is_viral, at,
        is_mobile, false as before, true as after
      from given left join bursts b using (id_sent, id_subscriber, at)
      union all
      select ${hitColumns}, true, not coalesce(${isTurned(sql`class`)}, false)
      from company left join turning using (id_sent, id_subscriber, at, class)
      union all
      select id_sent, id_subscriber, kind, ${burst}, is_viral, at, is_mobile, false, true
      from company join turning using (id_sent, id_subscriber, at, class) where ${isTurned(sql`class`)})`;
}

/** Steps that store the class of aggregated hits that become part of a burst, after `changeOfJudged`. */
export const keepTurning = (t: SiteTables): Sql => sql`
  turned as (
    update ${t.hit_folded} h set class = ${burst}
    from turning
    where h.id_sent = turning.id_sent and h.id_subscriber = turning.id_subscriber and h.at = turning.at
      and h.class = turning.class and not h.is_viral
      and case when h.kind = ${hitKinds.open} then turning.has_opens else turning.has_clicks end)`;

/**
 * A query of all hits of sendings, with the classes that the counters give them, including hits that are not aggregated
 * yet.
 * @param ids an array of ids of sendings
 */
export function judgedHits(t: SiteTables, ids: Sql): Sql {
  const fresh = sql`select ${hitColumns}, id_link from ${t.hit_new} where id_sent = any(${ids})`;
  return sql`
    with ${changeOfJudged(t, fresh)}
    select ${hitColumns} from change where after
    union all
    select ${hitColumns} from ${t.hit_folded} h
    where id_sent = any(${ids}) and not exists (
      select from change c where c.id_sent = h.id_sent and c.id_subscriber = h.id_subscriber)`;
}
