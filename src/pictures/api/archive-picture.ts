import { siteOperation } from '../../platform/http/operation.ts';
import { Bool, Id, Params } from '../../platform/http/schema.ts';
import { setPictureArchived } from '../picture-store.ts';

export const archivePicture = siteOperation({
  id: 'archivePicture',
  method: 'POST',
  path: '/pictures/{idPicture}/archive',
  right: 'write',
  tag: 'Pictures',
  summary: 'Archive a picture',
  description: 'Lists omit an archived picture, except in the location Archives; contents still show it.',
  params: Params({ idPicture: Id('picture') }),
  reply: Bool(),
  async handle({ db, params }) {
    await setPictureArchived(db, params.idPicture, true);
    return true;
  },
});
