import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { bounceClasses } from './bounce.ts';
import { type Counters, noCounters } from './counters.ts';
import { hitKinds } from './hit.ts';
import { machineClasses } from './hit-class.ts';
import { receiptStates } from './receipt.ts';

/**
 * The figures of sents as they are at this moment; every id asked for has an entry. Four statements, each reading
 * only the rows of these sents by index: the cost is that of their hits (see hitsOf) and bounces, and of one row per
 * 1,000 recipients. Folding them for very large sents comes later; the definitions stay here.
 */
export async function countersOfSents(
  db: SiteDb,
  idsSent: readonly number[],
): Promise<Map<number, Counters>> {
  const counters = new Map<number, Counters>(idsSent.map((id) => [id, noCounters]));
  if (idsSent.length === 0) return counters;
  const ids = sql`${[...new Set(idsSent)]}::int[]`;
  // One statement after the other when the handle is a transaction's; a pool would not be faster for small sents.
  const parts = [
    await db.rows<PartOfCounters>(handedOver(db, ids)),
    await db.rows<PartOfCounters>(hitsOf(db, ids)),
    await db.rows<PartOfCounters>(unsubscriptionsOf(db, ids)),
    await db.rows<PartOfCounters>(bouncesOf(db, ids)),
  ];
  for (const { idSent, ...part } of parts.flat()) {
    counters.set(idSent, { ...(counters.get(idSent) ?? noCounters), ...part });
  }
  for (const [idSent, one] of counters) counters.set(idSent, { ...one, nbDelivered: deliveredOf(one) });
  return counters;
}

type PartOfCounters = { readonly idSent: number } & Partial<Counters>;

function deliveredOf(one: Counters): number {
  return (
    one.nbAddressSent - one.nbHardBounces - one.nbSoftBounces - one.nbDnsErrorsBounces - one.nbSpamBounces
  );
}

/**
 * What relays accepted: the sums of the ranges that are done (their receipts, counted when they were written), and
 * the log of those that are not. One statement sees a range in one of the two places, never in both.
 */
function handedOver(db: SiteDb, ids: Sql): Sql {
  return sql`
    with ranges as (
      select r.id_job, r.number, r.id_sent, r.is_done, r.nb_accepted
      from ${db.t.recipient_range} r
      where r.id_job in (select id_job from ${db.t.sent} where id = any(${ids})) and r.id_sent = any(${ids})),
    accepted as (
      select id_sent, nb_accepted::bigint as n
      from ranges
      where is_done
      union all
      select r.id_sent, count(*)
      from ranges r
        join ${db.t.send_log} l on l.id_job = r.id_job and l.range_number = r.number,
        unnest(l.outcomes, l.states) o (id_subscriber, state)
      where not r.is_done and o.state = ${receiptStates.accepted}
      group by r.id_sent)
    select id_sent as "idSent", sum(n)::bigint as "nbAddressSent"
    from accepted
    group by id_sent`;
}

/**
 * Opens and clicks: hits are first gathered per reader (one row of the index hit_sent after the other), because
 * readers are distinct and a click without an open counts as one open more.
 */
function hitsOf(db: SiteDb, ids: Sql): Sql {
  const { open, editorial, mirror, unsubscription, advertisement } = hitKinds;
  const clicks = (kind: number) => sql`count(*) filter (where kind = ${kind} and not is_viral)`;
  const isHuman = sql`class <> all(${machineClasses}::smallint[])`;
  return sql`
    with reader as (
      select id_sent,
        count(*) filter (where kind = ${open}) as opens,
        count(*) filter (where kind = ${open} and ${isHuman}) as human_opens,
        count(*) filter (where kind <> ${open}) as clicks,
        count(*) filter (where kind <> ${open} and ${isHuman}) as human_clicks,
        ${clicks(editorial)} as edito,
        ${clicks(advertisement)} as ad,
        ${clicks(mirror)} as mirror,
        ${clicks(unsubscription)} as unsub,
        count(*) filter (where kind <> ${open} and is_viral) as viral
      from ${db.t.hit}
      where id_sent = any(${ids})
      group by id_sent, id_subscriber)
    select id_sent as "idSent",
      sum(greatest(opens, least(clicks, 1)))::bigint as "nbOpenings",
      count(*) filter (where opens + clicks > 0) as "nbOpeners",
      sum(greatest(human_opens, least(human_clicks, 1)))::bigint as "nbHumanOpenings",
      count(*) filter (where human_opens + human_clicks > 0) as "nbHumanOpeners",
      sum(clicks)::bigint as "nbClicks", count(*) filter (where clicks > 0) as "nbClickers",
      sum(edito)::bigint as "nbEditoClicks", count(*) filter (where edito > 0) as "nbEditoClickers",
      sum(ad)::bigint as "nbAdClicks", count(*) filter (where ad > 0) as "nbAdClickers",
      sum(mirror)::bigint as "nbMirrorClicks", count(*) filter (where mirror > 0) as "nbMirrorClickers",
      sum(unsub)::bigint as "nbUnsubClicks", count(*) filter (where unsub > 0) as "nbUnsubClickers",
      sum(viral)::bigint as "nbViralClicks", count(*) filter (where viral > 0) as "nbViralClickers"
    from reader
    group by id_sent`;
}

function unsubscriptionsOf(db: SiteDb, ids: Sql): Sql {
  return sql`
    select id_sent as "idSent", count(*) as "nbUnsubs"
    from ${db.t.unsubscription}
    where id_sent = any(${ids})
    group by id_sent`;
}

/** A recipient counts once: several reports about one message (delayed, then given up) are one bounce, the gravest. */
function bouncesOf(db: SiteDb, ids: Sql): Sql {
  const { hard, spam, dns, soft, autoReply, complaint } = bounceClasses;
  const gravestFirst = [hard, spam, dns, soft, autoReply];
  const inClass = (one: number) =>
    sql`count(*) filter (where gravest = ${gravestFirst.indexOf(one as 1) + 1})`;
  return sql`
    with recipient as (
      select id_sent,
        min(array_position(${gravestFirst}::smallint[], class)) as gravest,
        bool_or(class = ${complaint}) as complained
      from ${db.t.bounce}
      where id_sent = any(${ids})
      group by id_sent, id_subscriber)
    select id_sent as "idSent",
      ${inClass(hard)} as "nbHardBounces",
      ${inClass(soft)} as "nbSoftBounces",
      ${inClass(autoReply)} as "nbAutoRespondersBounces",
      ${inClass(dns)} as "nbDnsErrorsBounces",
      ${inClass(spam)} as "nbSpamBounces",
      count(gravest) as "nbTotalBounces",
      count(*) filter (where complained) as "nbSpamComplaints"
    from recipient
    group by id_sent`;
}
