import { findPictureKey } from '../../pictures/picture-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { found } from '../../platform/http/refusal.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { findPictureUses, PictureUses } from '../picture-uses.ts';

export const listPictureUses = siteOperation({
  id: 'listPictureUses',
  method: 'GET',
  path: '/pictures/{idPicture}/uses',
  right: 'read',
  tag: 'Pictures',
  summary: 'List where a picture is used',
  description:
    'Contents whose HTML or text has the address of the picture. Pictures with the same bytes share an address, and ' +
    'so their uses. Messages that were already sent are not listed; deletePicture checks them too.',
  params: Params({ idPicture: Id('picture') }),
  reply: PictureUses,
  async handle({ db, params }) {
    return findPictureUses(db, found(await findPictureKey(db, params.idPicture), 'Picture'));
  },
});
