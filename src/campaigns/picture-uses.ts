import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { Closed, Count, Nullable, OneOf, type Static, Text, Type } from '../platform/http/schema.ts';

/** Maximum number of uses that are listed. */
const mostUses = 100;

/** Kinds of contents that can show a picture, in the order in which they are listed. */
export const kindsOfContents = [
  'Campaign',
  'Advertisement',
  'Segment',
  'SendingConfiguration',
  'ContentBlock',
] as const;
type Kind = (typeof kindsOfContents)[number];

/** The members of a content in a list of uses. */
const useMembers = {
  kind: OneOf(kindsOfContents),
  id: Nullable(
    Type.Integer({ title: 'Int32', description: 'null for a content block, which has a name only' }),
  ),
  name: Text(255),
  idCampaign: Nullable(
    Type.Integer({ title: 'Int32', description: 'The campaign itself, or the campaign of a segment' }),
  ),
};
const PictureUse = Closed('PictureUse', useMembers);
export const ContentUse = Closed('ContentUse', useMembers);

/** Contents of the site that show a picture. */
export const PictureUses = Closed('PictureUses', {
  nbCampaigns: Count('Campaigns whose contents show it'),
  nbAdvertisements: Count(),
  nbSegments: Count('Segments whose own text of an advertisement shows it'),
  nbSendingConfigurations: Count(),
  nbContentBlocks: Count(),
  uses: Type.Array(PictureUse, {
    description: 'At most 100, by kind in the order of the counts, the newest of each kind first',
  }),
});
export type PictureUses = Static<typeof PictureUses>;
type PictureUse = PictureUses['uses'][number];

/** Whether a campaign shows the picture of a key; the index of keys answers it. */
const showsKey = (db: SiteDb, key: Sql): Sql =>
  sql`${db.name('picture_keys')}(html_content || ' ' || text_content) @> array[${key}]::text[]`;

/**
 * The contents that show a picture. Campaigns are found by an index. The other contents are searched through: there
 * are few of them beside campaigns.
 * @param key of the file, a part of its address
 */
export const contentsWithPicture = (db: SiteDb, key: string): Sql => {
  const { campaign, advertisement, segment, segment_advertisement, sending_configuration, content_block } =
    db.t;
  return sql`
    select 'Campaign' as kind, id, name, id as "idCampaign" from ${campaign} where ${showsKey(db, sql`${key}`)}
    union all
    select 'Advertisement', id, name, null from ${advertisement} where strpos(html, ${key}) > 0
    union all
    select 'Segment', s.id, s.name, s.id_campaign from ${segment} s
      where exists (
        select from ${segment_advertisement} p where p.id_segment = s.id and strpos(p.html, ${key}) > 0)
    union all
    select 'SendingConfiguration', id, name, null from ${sending_configuration}
      where strpos(header_html || footer_html || unsub_html, ${key}) > 0
    union all
    select 'ContentBlock', null, key, null from ${content_block} where strpos(value, ${key}) > 0`;
};

/** The numbers of campaigns that show pictures, by the picture's id; without pictures that the site does not have. */
export async function countCampaignsOf(
  db: SiteDb,
  idPictures: readonly number[],
): Promise<{ idPicture: number; nbCampaigns: number }[]> {
  const { t } = db;
  return db.rows(sql`
    select p.id as "idPicture",
      (select count(*)::int from ${t.campaign} where ${showsKey(db, sql`f.key`)}) as "nbCampaigns"
    from ${t.picture} p join ${t.picture_file} f on f.sha256 = p.sha256
    where p.id = any(${[...idPictures]}::int[])
    order by p.id`);
}

/** The contents of the site that show a picture. @param key of the file, a part of its address */
export async function findPictureUses(db: SiteDb, key: string): Promise<PictureUses> {
  const found = await db.rows<{ kind: Kind; nb: number; uses: PictureUse[] }>(sql`
    select kind, count(*) as nb,
      to_jsonb((array_agg(to_jsonb(c) order by id desc, name))[1:${mostUses}::int]) as uses
    from (${contentsWithPicture(db, key)}) c group by kind`);
  const of = (kind: Kind) => found.find((one) => one.kind === kind);
  const nb = (kind: Kind) => of(kind)?.nb ?? 0;
  return {
    nbCampaigns: nb('Campaign'),
    nbAdvertisements: nb('Advertisement'),
    nbSegments: nb('Segment'),
    nbSendingConfigurations: nb('SendingConfiguration'),
    nbContentBlocks: nb('ContentBlock'),
    uses: kindsOfContents
      .flatMap((kind) => of(kind)?.uses ?? [])
      .slice(0, mostUses)
      .map(({ kind, id, name, idCampaign }) => ({ kind, id, name, idCampaign })),
  };
}
