import { contentsWithPicture, kindsOfContents } from '../../campaigns/picture-uses.ts';
import { deletePictureRow } from '../../pictures/picture-store.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { sql } from '../../platform/db/sql.ts';
import { siteAction } from '../../platform/http/operation.ts';
import { conflict } from '../../platform/http/refusal.ts';
import { Id, Params, Query, Type } from '../../platform/http/schema.ts';

/** Maximum number of places that an error names. */
const mostPlaces = 5;

export const deletePicture = siteAction({
  id: 'deletePicture',
  method: 'DELETE',
  path: '/pictures/{idPicture}',
  right: 'write',
  tag: 'Pictures',
  summary: 'Delete a picture',
  description:
    'Its URL returns 404 within a minute, unless another picture has the same bytes. A picture that contents or ' +
    'sent messages show is kept (409), unless `force` is true. Readers then see a gap in messages that they ' +
    'have already received. To hide it from lists only, archive it.',
  params: Params({ idPicture: Id('picture') }),
  query: Query({
    force: Type.Optional(
      Type.Boolean({ default: false, description: 'Delete it even if contents or messages show it' }),
    ),
  }),
  refusals: [409],
  handle: ({ db, params: { idPicture }, query }) =>
    db.transaction(async (tx) => {
      const unused = await deletePictureRow(tx, idPicture);
      const places = unused && !query.force ? await whereShown(tx, unused) : [];
      if (places.length > 0)
        throw conflict(
          `The picture is shown by ${places.join(', ')}; remove it there, archive it, or set force to true`,
        );
    }),
});

/**
 * Places that show a hosted picture: contents, and the messages of jobs, which are in inboxes. At most five, newest of
 * each kind first. The time grows with the messages of all jobs of the site.
 * @param key of the file, a part of its address
 */
async function whereShown(db: SiteDb, key: string): Promise<string[]> {
  return db.values<string>(sql`
    select place from (
      select array_position(${[...kindsOfContents]}::text[], kind) as position, id,
        case kind when 'ContentBlock' then 'content block ' || name
          when 'SendingConfiguration' then 'sending configuration ' || id
          else lower(kind) || ' ' || id end as place
      from (${contentsWithPicture(db, key)}) c
      union all
      select ${kindsOfContents.length + 1}::int, id, 'the messages of job ' || id from ${db.t.job}
        where frozen is not null and strpos(frozen::text, ${key}) > 0
    ) places
    order by position, id desc limit ${mostPlaces}`);
}
