import { decodeInside } from '../contents/content-template.ts';
import { foldKey, type ParsedTag, parseTag } from '../contents/tag-parser.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { Closed, Count, type Static, Type } from '../platform/http/schema.ts';
import { ContentUse, kindsOfContents } from './picture-uses.ts';

/** Maximum number of uses that are listed. */
const mostUses = 100;
/** Maximum number of uses that an error names. */
const mostNamed = 5;

/** Contents of the site whose tags name a content block, or content data. */
export const ContentUses = Closed('ContentUses', {
  nbUses: Count(),
  uses: Type.Array(ContentUse, {
    description:
      'At most 100: campaigns, advertisements, segments, sending configurations, content blocks; ' +
      'the newest of each first',
  }),
});
export type ContentUses = Static<typeof ContentUses>;
type Use = ContentUses['uses'][number];

/** The kinds of tags that name a key: the word before it, and how to read it. */
const keyed = {
  block: { word: 'BLOC', keyOf: (tag: ParsedTag) => (tag.kind === 'block' ? tag.key : undefined) },
  data: { word: 'DATA', keyOf: (tag: ParsedTag) => (tag.kind === 'dataRow' ? tag.key : undefined) },
};
type Keyed = keyof typeof keyed;
/** Characters of a piece that are read before the whole piece. */
const firstCharacters = 20;

/** All contents with what their authors wrote in them. */
function contentsOf({ t }: SiteDb): Sql {
  return sql`
    select 'Campaign' as kind, id, name, id as "idCampaign", concat_ws(e'\n', html_content, text_content, preheader,
      parameters ->> 'subject', parameters ->> 'senderAlias', parameters ->> 'responseAlias') as source
      from ${t.campaign}
    union all
    select 'Advertisement', id, name, null, html from ${t.advertisement}
    union all
    select 'Segment', s.id, s.name, s.id_campaign, concat_ws(e'\n', s.mail_object, s.sender_alias,
      (select string_agg(html, e'\n') from ${t.segment_advertisement} where id_segment = s.id))
      from ${t.segment} s
    union all
    select 'SendingConfiguration', id, name, null, concat_ws(e'\n', header_html, header_txt, footer_html, footer_txt,
      unsub_html, unsub_txt, sender_alias, response_alias, recipient_alias, object_prefix_bat, sender_alias_prefix_bat)
      from ${t.sending_configuration}
    union all
    select 'ContentBlock', null, key, null, value from ${t.content_block}`;
}

/**
 * The contents whose tags name a key, as messages read them. The database finds the tags, and the time grows with all
 * contents of the site; memory grows with the tags. Contents are split at `[[`, and a pattern reads the start of each
 * piece: 5,000 campaigns of 57 kB and 20 tags took 0.95 s, where a pattern over the texts took 1.6 s.
 */
async function usesOf(db: SiteDb, of: Keyed, key: string): Promise<Use[]> {
  const { word, keyOf } = keyed[of];
  // Editors write a no-break space for a space.
  const begin = `[\\s\\u00A0]*`;
  // The word, or spaces up to where the first characters end.
  const begins = `^\\[?${begin}(?:${word}\\.|.{0,${word.length}}$)`;
  // Up to a default, or the end of the tag.
  const inside = `^\\[?(${begin}${word}\\.[^][|]*)(?:\\||\\]\\])`;
  const rows = await db.rows<Use & { tags: string[] }>(sql`
    select c.kind, c.id, c.name, c."idCampaign", found.tags
    from (${contentsOf(db)}) c,
      lateral (
        select array_agg(distinct tag[1]) as tags
        from unnest(string_to_array(c.source, '[[')) with ordinality as piece(text, place),
          regexp_match(text, ${inside}, 'i') tag
        where place > 1 and left(text, ${firstCharacters}) ~* ${begins} and tag is not null) found
    where found.tags is not null
    order by array_position(${[...kindsOfContents]}::text[], c.kind), c.id desc, c.name`);
  const names = (inside: string) => {
    const tag = parseTag(decodeInside(inside));
    const named = tag && keyOf(tag);
    return named !== undefined && foldKey(named) === foldKey(key);
  };
  return rows
    .filter((row) => row.tags.some(names))
    .map(({ kind, id, name, idCampaign }) => ({ kind, id, name, idCampaign }));
}

/** The contents of the site whose tags name a key. */
export async function findContentUses(db: SiteDb, of: Keyed, key: string): Promise<ContentUses> {
  const uses = await usesOf(db, of, key);
  return { nbUses: uses.length, uses: uses.slice(0, mostUses) };
}

const placeOf = ({ kind, id, name }: Use): string => {
  if (kind === 'ContentBlock') return `content block ${name}`;
  return `${kind === 'SendingConfiguration' ? 'sending configuration' : kind.toLowerCase()} ${id}`;
};

/** The places that name a key, as an error says them: at most five. */
export async function placesNaming(db: SiteDb, of: Keyed, key: string): Promise<string> {
  return (await usesOf(db, of, key)).slice(0, mostNamed).map(placeOf).join(', ');
}
