import { siteAction } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { setPictureArchived } from '../picture-store.ts';

export const archivePicture = siteAction({
  id: 'archivePicture',
  method: 'POST',
  path: '/pictures/{idPicture}/archive',
  right: 'write',
  tag: 'Pictures',
  summary: 'Archive a picture',
  description: 'Lists omit an archived picture, except in the location Archives; contents still show it.',
  params: Params({ idPicture: Id('picture') }),
  handle: ({ db, params }) => setPictureArchived(db, params.idPicture, true),
});
