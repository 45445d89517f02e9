import { advertisementsOf } from '../contents/advertisement-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { refused } from '../platform/http/refusal.ts';
import { maxOwnBytes, type Placement } from './placement.ts';
import { maxPlacements } from './segment.ts';

type Row = Pick<Placement, 'id' | 'idSegment' | 'position' | 'idAdvertisement'> & {
  readonly name: string | null;
  readonly html: string | null;
};

/** The advertisements of segments, in order of segment and position. Each advertisement is read once. */
export async function placementsOf(
  db: SiteDb,
  segments: readonly { readonly id: number }[],
): Promise<Placement[]> {
  const rows = await db.rows<Row>(sql`
    select id, id_segment as "idSegment", position, id_advertisement as "idAdvertisement", name, html
    from ${db.t.segment_advertisement}
    where id_segment = any(${segments.map(({ id }) => id)}::int[])
    order by id_segment, position`);
  const ids = new Set(rows.map((row) => row.idAdvertisement));
  const advertisements = await advertisementsOf(db, [...ids]);
  return rows.map(({ name, html, ...row }) => {
    const advertisement = advertisements.get(row.idAdvertisement)!;
    return { ...row, name: name ?? advertisement.name, html: html ?? advertisement.html };
  });
}

/** An advertisement with its own name and HTML for one place. */
interface Assignment {
  readonly idAdvertisement: number;
  readonly name: string | null;
  readonly html: string | null;
}

/**
 * Places an advertisement at positions of segments of a campaign, whose row is locked. An existing placement of the
 * advertisement keeps its id, and with it the links that count its clicks.
 * @throws 422 when a segment has too many, or the campaign too much HTML of its own
 */
export async function assign(
  tx: SiteDb,
  idCampaign: number,
  idsSegment: readonly number[],
  positions: readonly number[],
  { idAdvertisement, name, html }: Assignment,
): Promise<void> {
  await tx.run(sql`
    delete from ${tx.t.segment_advertisement}
    where id_segment = any(${idsSegment}::int[]) and position = any(${positions}::int[])
      and id_advertisement <> ${idAdvertisement}`);
  await tx.run(sql`
    insert into ${tx.t.segment_advertisement} (id_segment, position, id_advertisement, name, html)
    select id_segment, position, ${idAdvertisement}::int, ${name}::text, ${html}::text
    from unnest(${idsSegment}::int[]) id_segment cross join unnest(${positions}::int[]) position
    on conflict (id_segment, position) do update set name = excluded.name, html = excluded.html`);
  await checkRoom(tx, idCampaign);
}

/** Gives the segments of a copied campaign the advertisements that the original ones have. */
export async function copyPlacements(tx: SiteDb, from: number, to: number): Promise<void> {
  const { segment, segment_advertisement } = tx.t;
  await tx.run(sql`
    insert into ${segment_advertisement} (id_segment, position, id_advertisement, name, html)
    select copy.id, p.position, p.id_advertisement, p.name, p.html
    from ${segment_advertisement} p
      join ${segment} original on original.id = p.id_segment
      join ${segment} copy on copy.id_campaign = ${to} and copy.position = original.position
    where original.id_campaign = ${from}
    order by copy.position, p.position`);
}

async function checkRoom(tx: SiteDb, idCampaign: number): Promise<void> {
  const { most, bytes } = await tx.one<{ most: number; bytes: number }>(sql`
    select coalesce(max(n), 0)::int as most, coalesce(sum(bytes), 0)::bigint as bytes
    from (
      select count(*) as n, sum(octet_length(p.html)) as bytes
      from ${tx.t.segment_advertisement} p join ${tx.t.segment} s on s.id = p.id_segment
      where s.id_campaign = ${idCampaign}
      group by s.id) of_segment`);
  if (most > maxPlacements) throw refused(`A segment has at most ${maxPlacements} advertisements`);
  if (bytes > maxOwnBytes)
    throw refused(`html: a campaign holds at most ${maxOwnBytes} bytes of HTML given for its places`);
}

/** Removes the advertisements at a position, or all of them. */
export async function unassign(
  tx: SiteDb,
  idsSegment: readonly number[],
  position: number | undefined,
): Promise<void> {
  const isChosen = position === undefined ? sql`true` : sql`position = ${position}`;
  await tx.run(sql`
    delete from ${tx.t.segment_advertisement} where id_segment = any(${idsSegment}::int[]) and ${isChosen}`);
}
