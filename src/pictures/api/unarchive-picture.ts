import { siteOperation } from '../../platform/http/operation.ts';
import { Bool, Id, Params } from '../../platform/http/schema.ts';
import { setPictureArchived } from '../picture-store.ts';

export const unarchivePicture = siteOperation({
  id: 'unarchivePicture',
  method: 'POST',
  path: '/pictures/{idPicture}/unarchive',
  right: 'write',
  tag: 'Pictures',
  summary: 'Unarchive a picture',
  params: Params({ idPicture: Id('picture') }),
  reply: Bool(),
  async handle({ db, params }) {
    await setPictureArchived(db, params.idPicture, false);
    return true;
  },
});
