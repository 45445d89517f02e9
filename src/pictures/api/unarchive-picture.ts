import { siteAction } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { setPictureArchived } from '../picture-store.ts';

export const unarchivePicture = siteAction({
  id: 'unarchivePicture',
  method: 'POST',
  path: '/pictures/{idPicture}/unarchive',
  right: 'write',
  tag: 'Pictures',
  summary: 'Unarchive a picture',
  params: Params({ idPicture: Id('picture') }),
  handle: ({ db, params }) => setPictureArchived(db, params.idPicture, false),
});
