import { readLocation } from '../../contents/directory.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { IdOf, Line, Paged, Paging, pageOf, pageRange, Query, Type } from '../../platform/http/schema.ts';
import { Picture, showPicture } from '../picture.ts';
import { pictureUrl } from '../picture-address.ts';
import { listStoredPictures, pictureLocations, pictureSorts } from '../picture-store.ts';

export const listPictures = siteOperation({
  id: 'listPictures',
  method: 'GET',
  path: '/pictures',
  right: 'read',
  tag: 'Pictures',
  summary: 'List pictures',
  description:
    'Names match by part, ignoring case and accents. PictureSize sorts by bytes; RandomMode ' +
    'returns another order with each call. Archived pictures are in the location Archives only.',
  query: Query({
    'filter.location': Type.Optional(
      IdOf('directory', Line(20, `${pictureLocations.join(', ')}, or the id of a directory (tag)`)),
    ),
    'filter.name': Type.Optional(Line(255)),
    'filter.fileName': Type.Optional(Line(255)),
    ...Paging(pictureSorts),
  }),
  reply: Paged(Picture),
  async handle({ app, db, query, caller }) {
    const range = pageRange(query);
    const { totalCount, items } = await listStoredPictures(db, {
      ...range,
      location: readLocation(pictureLocations, query['filter.location']),
      idUser: caller.idUser,
      name: query['filter.name'],
      fileName: query['filter.fileName'],
    });
    const shown = items.map((one) =>
      showPicture(one, pictureUrl(app.publicUrl, { idSite: db.site.id, ...one })),
    );
    return pageOf(shown, totalCount, range.start);
  },
});
