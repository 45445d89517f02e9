import { deletePictureRow } from '../../pictures/picture-store.ts';
import { siteAction } from '../../platform/http/operation.ts';
import { conflict } from '../../platform/http/refusal.ts';
import { Id, Params, Query, Type } from '../../platform/http/schema.ts';
import { whereShown } from '../picture-uses.ts';

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
