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
  description:
    'The lists leave an archived picture out, but for the location Archives; contents go on showing it.',
  params: Params({ idPicture: Id() }),
  reply: Bool(),
  async handle({ db, params }) {
    await setPictureArchived(db, params.idPicture, true);
    return true;
  },
});
