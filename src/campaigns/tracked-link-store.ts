import { checkDirectory } from '../contents/directory-store.ts';
import { withoutTags } from '../contents/tag-scanner.ts';
import { thematics } from '../contents/thematic-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { found, refused, tooLarge } from '../platform/http/refusal.ts';
import type { Campaign } from './campaign.ts';
import { messagePartsOf } from './message-parts.ts';
import {
  type LinkInContent,
  type LinkParameters,
  type LinkParametersChange,
  linkKey,
  linksInContent,
  plainParameters,
  type TrackedUrl,
} from './tracked-link.ts';

interface LinkRow extends Omit<TrackedUrl, 'parameters'> {
  readonly parameters: Partial<LinkParameters>;
}

const columns: Sql = sql`
  id, url, parsed_url as "parsedUrl", origin, id_segment as "idSegment", id_advertisement as "idAdvertisement",
  id_advertisement_in_segment as "idAdvertisementInSegment", is_tracked as "isTracked", parameters`;

const linkOf = ({ parameters, ...row }: LinkRow): TrackedUrl => ({
  ...row,
  parameters: { ...plainParameters, ...parameters },
});

/** Maximum bytes of a campaign's links in one response, and the share of each besides its URLs and parameters. */
const maxListed = 64_000_000;
const bytesOfLink = 400;

/** Every link that a campaign has ever had, by id. @throws 413 if they are too large for one response */
export async function listLinks(db: SiteDb, idCampaign: number): Promise<TrackedUrl[]> {
  // PostgreSQL knows the lengths without reading the values.
  const bytes = await db.value<number>(sql`
    select coalesce(sum(octet_length(url) + octet_length(parsed_url) + octet_length(parameters::text)
      + ${bytesOfLink}::int), 0)::bigint as bytes
    from ${db.t.tracked_link} where id_campaign = ${idCampaign}`);
  if (bytes > maxListed)
    throw tooLarge(
      `All links that campaign ${idCampaign} ever had are larger than ${maxListed} bytes; ` +
        'getOrCreateTrackedLinks gives those of its messages',
    );
  const rows = await db.rows<LinkRow>(sql`
    select ${columns} from ${db.t.tracked_link} where id_campaign = ${idCampaign} order by id`);
  return rows.map(linkOf);
}

/** A link and others of its campaign, `max` in total: tracked ones first, then the newest. */
export async function linksBeside(db: SiteDb, id: number, max: number): Promise<TrackedUrl[]> {
  const rows = await db.rows<LinkRow>(sql`
    select ${columns} from ${db.t.tracked_link}
    where id_campaign = (select id_campaign from ${db.t.tracked_link} where id = ${id})
    order by id = ${id} desc, is_tracked desc, id desc
    limit ${max}`);
  return rows.map(linkOf);
}

/** The links of campaigns, `max` of each at most: tracked ones first, then the newest. */
export async function linksOfCampaigns(
  db: SiteDb,
  idsCampaign: readonly number[],
  max: number,
): Promise<TrackedUrl[]> {
  const rows = await db.rows<LinkRow>(sql`
    select link.*
    from unnest(${idsCampaign}::int[]) as campaign (id)
    cross join lateral (
      select ${columns} from ${db.t.tracked_link}
      where id_campaign = campaign.id
      order by is_tracked desc, id desc
      limit ${max}) link`);
  return rows.map(linkOf);
}

/** Maximum links of a campaign: twice those of a message, because each segment's advertisements have their own. */
const maxLinks = 25_000;

/** The addresses in the campaign's current messages. @throws 422 for too many */
export async function currentLinks(db: SiteDb, campaign: Campaign): Promise<LinkInContent[]> {
  const { asSent, configuration, segments, placements } = await messagePartsOf(db, campaign);
  const sending = segments.filter((one) => !one.parameters.isExcluded);
  const links = linksInContent(asSent, configuration, sending, placements);
  if (links.length > maxLinks) throw refused(`The messages of all segments have more than ${maxLinks} links`);
  return links;
}

/**
 * Stores the addresses in the campaign's current messages; new ones are tracked if possible. With `all`, links whose
 * tracking was removed are tracked again.
 * @returns the links of these addresses, in order of appearance
 */
export async function storeLinks(
  tx: SiteDb,
  campaign: Campaign,
  at: Date,
  { all }: { readonly all: boolean },
): Promise<TrackedUrl[]> {
  const links = await currentLinks(tx, campaign);
  await insertMissing(tx, campaign.id, links, at);
  // If two differ only in their origin, the newer one.
  const known = new Map(
    (await linksAmong(tx, campaign.id, links)).map((link) => [
      linkKey(link.idAdvertisementInSegment, link.url),
      link,
    ]),
  );
  const stored = links.flatMap((link) => {
    const found = known.get(linkKey(link.placement?.id, link.url));
    return found ? [{ ...found, isTracked: found.isTracked || (all && link.isTrackable) }] : [];
  });
  if (all) {
    const tracked = stored.filter((link) => link.isTracked).map((link) => link.id);
    await tx.run(sql`
      update ${tx.t.tracked_link} set is_tracked = true where not is_tracked and id = any(${tracked}::bigint[])`);
  }
  return stored;
}

/**
 * Stores the addresses in the messages of a copied campaign, with the tracking and parameters that they have in the
 * original one; new ones are tracked if possible. Nothing is stored if the original has no stored links.
 * @throws 422 for too many
 */
export async function copyLinks(tx: SiteDb, from: number, copy: Campaign, at: Date): Promise<void> {
  const { tracked_link, segment, segment_advertisement } = tx.t;
  const hasLinks = await tx.value<boolean>(sql`
    select exists (select from ${tracked_link} where id_campaign = ${from}) as "hasLinks"`);
  if (!hasLinks) return;
  await storeLinks(tx, copy, at, { all: false });
  // A link of an advertisement has its place's id. If two differ only in their origin, the newer one.
  await tx.run(sql`
    with known as (
      select distinct on (md5(l.url), l.url, p.id) l.url, coalesce(p.id, 0) as id_placement, l.is_tracked, l.parameters
      from ${tracked_link} l
        left join ${segment_advertisement} own on own.id = l.id_advertisement_in_segment
        left join ${segment} original on original.id = own.id_segment
        left join ${segment} copied on copied.id_campaign = ${copy.id} and copied.position = original.position
        left join ${segment_advertisement} p on p.id_segment = copied.id and p.position = own.position
      where l.id_campaign = ${from} and (l.id_advertisement_in_segment is null or p.id is not null)
      order by md5(l.url), l.url, p.id, l.id desc)
    update ${tracked_link} l
    set is_tracked = l.is_tracked and known.is_tracked, parameters = known.parameters
    from known
    where l.id_campaign = ${copy.id} and md5(l.url) = md5(known.url) and l.url = known.url
      and coalesce(l.id_advertisement_in_segment, 0) = known.id_placement`);
}

/** An address in a campaign's messages: in its contents, or in an advertisement. */
type Place = Pick<LinkInContent, 'url' | 'placement'>;

/** The stored links of addresses, by id, found by their hash: links of earlier contents are not read. */
async function linksAmong(db: SiteDb, idCampaign: number, places: readonly Place[]): Promise<TrackedUrl[]> {
  const urls = places.map(({ url }) => url);
  const idsPlacement = places.map(({ placement }) => placement?.id ?? 0);
  const rows = await db.rows<LinkRow>(sql`
    select ${columns} from ${db.t.tracked_link}
    where id_campaign = ${idCampaign}
      and (md5(url), url, coalesce(id_advertisement_in_segment, 0)) in (
        select md5(one.url), one.url, one.id_placement
        from unnest(${urls}::text[], ${idsPlacement}::int[]) as one (url, id_placement))
    order by id`);
  return rows.map(linkOf);
}

/** Tracks a stored link of the campaign and changes its parameters. */
export async function trackStored(
  tx: SiteDb,
  idCampaign: number,
  { url, placement }: Pick<LinkInContent, 'url' | 'placement'>,
  change: (before: LinkParameters) => LinkParameters,
): Promise<TrackedUrl> {
  const row = await tx.one<LinkRow>(sql`
    select ${columns} from ${tx.t.tracked_link}
    where id_campaign = ${idCampaign} and md5(url) = md5(${url}) and url = ${url}
      and id_advertisement_in_segment is not distinct from ${placement?.id ?? null}::int
    order by id limit 1
    for update`);
  const parameters = change(linkOf(row).parameters);
  await tx.run(sql`
    update ${tx.t.tracked_link} set is_tracked = true, parameters = ${JSON.stringify(parameters)}::jsonb
    where id = ${row.id}`);
  return linkOf({ ...row, isTracked: true, parameters });
}

/** Ends the tracking of a link; its clicks and its address stay. @throws 404 */
export async function untrack(db: SiteDb, idCampaign: number, id: number): Promise<void> {
  const isKnown = await db.touches(sql`
    update ${db.t.tracked_link} set is_tracked = false where id_campaign = ${idCampaign} and id = ${id}`);
  found(isKnown, 'Tracked link');
}

/** The tracked links among addresses; `placement` is the advertisement's place, null in the contents. */
export async function linksForMessages(
  db: SiteDb,
  idCampaign: number,
  places: readonly Place[],
): Promise<{ url: string; id: number; placement: number | null }[]> {
  const links = await linksAmong(db, idCampaign, places);
  return links
    .filter(({ isTracked }) => isTracked)
    .map(({ url, id, idAdvertisementInSegment: placement }) => ({ url, id, placement }));
}

/** Tracked addresses that a user marked as leading to an unsubscribe page. */
export async function unsubscriptionUrls(db: SiteDb, idCampaign: number): Promise<ReadonlySet<string>> {
  return new Set(
    await db.values<string>(sql`
    select url from ${db.t.tracked_link}
    where id_campaign = ${idCampaign} and is_tracked and parameters @> '{"isUnsubscriptionUrl": true}'`),
  );
}

/** Stores addresses without a link. The campaign's row is locked: an address must not be stored for two origins. */
export async function insertMissing(
  tx: SiteDb,
  idCampaign: number,
  links: readonly LinkInContent[],
  at: Date,
): Promise<void> {
  const of = <T>(value: (link: LinkInContent) => T) => links.map(value);
  const ofPlacement = (member: 'id' | 'idSegment' | 'idAdvertisement') =>
    links.map(({ placement }) => placement?.[member] ?? null);
  await tx.run(sql`
    insert into ${tx.t.tracked_link}
      (id_campaign, url, parsed_url, origin, is_tracked, id_advertisement_in_segment, id_segment, id_advertisement,
       parameters, created_at)
    select ${idCampaign}::int, link.url, link.parsed_url, link.origin, link.is_tracked, link.id_placement,
      link.id_segment, link.id_advertisement, ${JSON.stringify(plainParameters)}::jsonb, ${at}::timestamptz
    from unnest(${of(({ url }) => url)}::text[], ${of(({ url }) => withoutTags(url))}::text[],
        ${of(({ origin }) => origin)}::text[], ${of(({ isTrackable }) => isTrackable)}::boolean[],
        ${ofPlacement('id')}::int[], ${ofPlacement('idSegment')}::int[], ${ofPlacement('idAdvertisement')}::int[])
      with ordinality as link(url, parsed_url, origin, is_tracked, id_placement, id_segment, id_advertisement,
        position)
    where not exists (
      select from ${tx.t.tracked_link} known
      where known.id_campaign = ${idCampaign} and md5(known.url) = md5(link.url) and known.url = link.url
        and known.id_advertisement_in_segment is not distinct from link.id_placement)
    order by link.position`);
}

/** @throws 404 that names a missing record's property, 422 for a directory of another type */
export async function checkLinkReferences(tx: SiteDb, change: LinkParametersChange): Promise<void> {
  const { idDirectory, idThematic } = change;
  await checkDirectory(tx, 'tracked_link', 'parameters.idDirectory', idDirectory);
  if (idThematic) await thematics.get(tx, idThematic, 'parameters.idThematic');
}
