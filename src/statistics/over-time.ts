import { acts } from '../activity/act.ts';
import { bounceClasses } from '../activity/bounce.ts';
import { judgedHits } from '../activity/hit-burst.ts';
import { actChanges, hitColumns } from '../activity/hit-change.ts';
import { machineClasses } from '../activity/hit-class.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { raw, sql } from '../platform/db/sql.ts';
import { Closed, Count, type Static, Timestamp } from '../platform/http/schema.ts';

export const timeUnits = ['hour', 'day'] as const;
export type TimeUnit = (typeof timeUnits)[number];

/** The activity in one hour or one day of Paris time. */
export const TimeStatistics = Closed('TimeStatistics', {
  date: Timestamp('The beginning of the hour or day'),
  nbOpenings: Count('Opens; over all times they add up to nbOpenings of the sendings'),
  nbOpeningsWithoutMpp: Count('Opens that mail privacy protection did not make'),
  nbClicks: Count('Clicks; over all times they add up to nbClicks of the sendings'),
  nbHumanClicks: Count('Clicks that no machine made'),
  nbUnsubs: Count('Recipients who unsubscribed'),
  nbBounces: Count('Reports of undelivered messages and automatic replies'),
  nbSpamComplaints: Count('Complaints'),
});
export type TimeStatistics = Static<typeof TimeStatistics>;

/**
 * The figures of sendings over time, oldest first; times without any are omitted. The cost grows with the hits of the
 * sendings.
 */
export async function statisticsOverTime(
  db: SiteDb,
  idsSent: readonly number[],
  unit: TimeUnit,
): Promise<TimeStatistics[]> {
  const { t } = db;
  const ids = sql`${[...idsSent]}::int[]`;
  const { open, openWithoutMpp, click } = acts;
  const rows = await db.rows<Omit<TimeStatistics, 'date'> & { date: Date }>(sql`
    with judged as materialized (
      select ${hitColumns}, false as before, true as after from (${judgedHits(t, ids)}) hit),
    fact as (
      select at, act::int as what, n from (${actChanges(sql`judged`)}) acts
      union all
      select at, 4, 1 from judged where kind <> 1 and class <> all(${machineClasses}::smallint[])
      union all
      select at, 5, 1 from ${t.unsubscription} where id_sent = any(${ids})
      union all
      select at, case when class = ${bounceClasses.complaint} then 7 else 6 end, 1
      from ${t.bounce} where id_sent = any(${ids}))
    select date_trunc('${raw(unit)}', at, 'Europe/Paris') as date,
      coalesce(sum(n) filter (where what = ${open}), 0)::int as "nbOpenings",
      coalesce(sum(n) filter (where what = ${openWithoutMpp}), 0)::int as "nbOpeningsWithoutMpp",
      coalesce(sum(n) filter (where what = ${click}), 0)::int as "nbClicks",
      count(*) filter (where what = 4)::int as "nbHumanClicks",
      count(*) filter (where what = 5)::int as "nbUnsubs",
      count(*) filter (where what = 6)::int as "nbBounces",
      count(*) filter (where what = 7)::int as "nbSpamComplaints"
    from fact
    group by 1
    order by 1`);
  return rows.map(({ date, ...figures }) => ({ date: date.toISOString(), ...figures }));
}
