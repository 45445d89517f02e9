import { hitKinds } from '../activity/hit.ts';
import { machineClasses } from '../activity/hit-class.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { Closed, Count, Int32, Nullable, type Static, Type } from '../platform/http/schema.ts';

const clickFigures = {
  nbClicks: Count('All clicks'),
  nbClickers: Count('Recipients with at least one click, counted in each sending'),
  nbHumanClickers: Count('The clickers that are not machines'),
  nbHumanClicks: Count('nbClicks without those of machines'),
  nbViralClicks: Count('Clicks through forwarded messages; they are in nbClicks'),
};

/** The clicks on one tracked link. */
export const LinkStatistics = Closed('LinkStatistics', {
  idLink: Type.Integer({ title: 'Int64', description: 'The tracked link' }),
  url: Type.String(),
  idAdvertisement: Nullable(Int32('The advertisement that holds it; null: none')),
  ...clickFigures,
});
export type LinkStatistics = Static<typeof LinkStatistics>;

/** The clicks in one advertisement. */
export const AdvertisementStatistics = Closed('AdvertisementStatistics', {
  idAdvertisement: Int32(),
  name: Type.String({ description: 'Empty once the advertisement is deleted' }),
  ...clickFigures,
});
export type AdvertisementStatistics = Static<typeof AdvertisementStatistics>;

const sums = sql`
  count(h.id_sent)::int as "nbClicks", count(distinct (h.id_sent, h.id_subscriber)) filter (where h.id_sent is not null)
    ::int as "nbClickers",
  count(distinct (h.id_sent, h.id_subscriber)) filter (where h.class <> all(${machineClasses}::smallint[]))::int
    as "nbHumanClickers",
  count(*) filter (where h.class <> all(${machineClasses}::smallint[]))::int as "nbHumanClicks",
  count(*) filter (where h.is_viral)::int as "nbViralClicks"`;

/**
 * The tracked links of the messages of these sendings, most clickers first, including those without clicks. The cost
 * grows with the clicks of the sendings.
 */
export async function linkStatistics(db: SiteDb, idsSent: readonly number[]): Promise<LinkStatistics[]> {
  const { t } = db;
  return db.rows<LinkStatistics>(sql`
    select l.id as "idLink", l.url, l.id_advertisement as "idAdvertisement", ${sums}
    from ${t.tracked_link} l left join ${clicksOf(db, idsSent)} h on h.id_link = l.id
    where l.id_campaign in (
        select j.id_campaign from ${t.sent} s join ${t.job} j on j.id = s.id_job where s.id = any(${idsSent}::int[]))
      and (l.is_tracked or h.id_sent is not null)
    group by l.id
    order by "nbClickers" desc, l.id`);
}

/** The advertisements that were clicked in these sendings or are in their segments, most clickers first. */
export async function advertisementStatistics(
  db: SiteDb,
  idsSent: readonly number[],
): Promise<AdvertisementStatistics[]> {
  const { t } = db;
  return db.rows<AdvertisementStatistics>(sql`
    with shown as (
      select distinct (one ->> 'idAdvertisement')::int as id
      from ${t.sent} s, jsonb_array_elements(s.advertisements) one where s.id = any(${idsSent}::int[])
      union
      select l.id_advertisement from ${clicksOf(db, idsSent)} h join ${t.tracked_link} l on l.id = h.id_link
      where l.id_advertisement is not null)
    select shown.id as "idAdvertisement", coalesce(a.name, '') as name, ${sums}
    from shown left join ${t.advertisement} a on a.id = shown.id
      left join ${t.tracked_link} l on l.id_advertisement = shown.id
      left join ${clicksOf(db, idsSent)} h on h.id_link = l.id
    where shown.id is not null
    group by shown.id, a.name
    order by "nbClickers" desc, shown.id`);
}

const clicksOf = ({ t }: SiteDb, idsSent: readonly number[]): Sql => sql`(
  select id_sent, id_subscriber, id_link, class, is_viral from ${t.hit}
  where id_sent = any(${idsSent}::int[]) and kind <> ${hitKinds.open} and id_link is not null)`;
