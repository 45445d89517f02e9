import type { SiteTables } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { hitKinds } from './hit.ts';
import { foldedHitsOf, hitColumns } from './hit-change.ts';
import { type HitClass, hitClasses } from './hit-class.ts';

/*
 * The rule that needs more than one hit: a reader who follows three different links of one message within three seconds
 * is a scanner, whatever it calls itself, and so are all clicks of such a stretch. It hangs on nothing but the hits of
 * the pair of sent and reader, and more hits can only make more bursts: so it does not matter in which order they came,
 * were stored, or folded. Folding and judging again keep it as the class `burst`; what is not folded is judged as it is
 * read.
 */

const linksOfBurst = 3;
const span = sql`interval '3 seconds'`;
/** What may become part of a burst. Other classes are machines already, by what they say of themselves. */
const turned: readonly HitClass[] = [hitClasses.human, hitClasses.imageProxy];

/** Clicks that tell of their reader: what came through a forwarded message is of anybody. */
const isClick = sql`(kind <> ${hitKinds.open} and not is_viral)`;
/** Conditions on a hit: it may become part of a burst. */
const mayTurn = sql`(${isClick} and class = any(${turned}::smallint[]))`;
const burst = sql`${hitClasses.burst}::smallint`;

/**
 * Rows (id_sent, id_subscriber, at, is_burst): each instant at which clicks of a pair are part of a burst. `hits` names
 * rows with all clicks of the pairs, and their id_link. Each click is looked at with those of the next three seconds,
 * of which there are some: one token stores 60 a minute.
 */
export function burstsOf(hits: Sql): Sql {
  const pair = sql`partition by id_sent, id_subscriber order by at`;
  // The pages have no link, and are links of their own.
  return sql`
    select distinct id_sent, id_subscriber, at, true as is_burst
    from (
      select id_sent, id_subscriber, at,
        bool_or(begins) over (${pair} range between ${span} preceding and current row) as is_in
      from (
        select id_sent, id_subscriber, at,
          (select count(distinct link) from unnest(links) link) >= ${linksOfBurst} as begins
        from (
          select id_sent, id_subscriber, at,
            array_agg(coalesce(id_link, -kind)) over (${pair} range between current row and ${span} following) as links
          from ${hits} hits where ${isClick}) click) begun) clicks
    where is_in`;
}

/** The class of a hit as it is, joined with the bursts `b`, when its own is `class`. */
export const classWith = (ofItself: Sql): Sql => sql`
  case when b.is_burst and ${isClick} and ${ofItself} = any(${turned}::smallint[]) then ${burst} else ${ofItself} end`;

/**
 * Steps of a statement that end with `change` (hit-change.ts): what hits that are in no sum bring, and what becomes of
 * folded ones because of them. `given` has their hitColumns and id_link. Two steps are for who folds: `bursts` has what
 * belongs to the given ones, `turning` (id_sent, id_subscriber, at, class) the folded clicks that get the class burst.
 */
export function changeOfJudged(t: SiteTables, given: Sql): Sql {
  return sql`
    given as materialized (${given}),
    company as materialized (
      select ${hitColumns} from (${foldedHitsOf(t, sql`select id_sent, id_subscriber from given`)}) folded),
    -- Few readers click so often: only their links are looked up, which are not in the index; and only those near to a
    -- click that is given, for it can make a burst of no others.
    busy as materialized (
      select id_sent, id_subscriber, min(given_at) - ${span} as since, max(given_at) + ${span} as until
      from (
        select id_sent, id_subscriber, at as given_at from given where ${isClick}
        union all
        select id_sent, id_subscriber, null from company where ${isClick}) click
      group by id_sent, id_subscriber
      having count(*) >= ${linksOfBurst} and count(given_at) > 0),
    followed as (
      select ${hitColumns}, id_link from given join busy using (id_sent, id_subscriber)
      union all
      select ${hitColumns}, id_link
      from busy cross join lateral (
        select kind, class, is_viral, at, id_link from ${t.hit_folded} h
        where h.at between since and until and h.id_sent = busy.id_sent and h.id_subscriber = busy.id_subscriber
        offset 0) folded),
    bursts as materialized (${burstsOf(sql`followed`)}),
    turning as materialized (
      select distinct id_sent, id_subscriber, at, class, true as is_turning
      from company join bursts using (id_sent, id_subscriber, at) where ${mayTurn}),
    change as materialized (
      select id_sent, id_subscriber, kind, ${classWith(sql`class`)} as class, is_viral, at,
        false as before, true as after
      from given left join bursts b using (id_sent, id_subscriber, at)
      union all
      select ${hitColumns}, true, not (coalesce(is_turning, false) and ${mayTurn})
      from company left join turning using (id_sent, id_subscriber, at, class)
      union all
      select id_sent, id_subscriber, kind, ${burst}, is_viral, at, false, true
      from company join turning using (id_sent, id_subscriber, at, class) where ${mayTurn})`;
}

/** Steps that keep the class of folded clicks that are turning, after `changeOfJudged`. */
export const keepTurning = (t: SiteTables): Sql => sql`
  turned as (
    update ${t.hit_folded} h set class = ${burst}
    from turning
    where h.id_sent = turning.id_sent and h.id_subscriber = turning.id_subscriber and h.at = turning.at
      and h.class = turning.class and h.kind <> ${hitKinds.open} and not h.is_viral)`;
