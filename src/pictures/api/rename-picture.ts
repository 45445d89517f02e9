import { siteAction } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Id, Line, Params } from '../../platform/http/schema.ts';
import { visibleName } from '../../platform/http/visible-name.ts';
import { updatePictureName } from '../picture-store.ts';

export const renamePicture = siteAction({
  id: 'renamePicture',
  method: 'PUT',
  path: '/pictures/{idPicture}/name',
  right: 'write',
  tag: 'Pictures',
  summary: 'Rename a picture',
  description: 'The body is the new name, as a JSON string. The file name and the address stay.',
  params: Params({ idPicture: Id('picture') }),
  body: Line(255),
  example: 'Spring banner',
  async handle({ db, params, body, now }) {
    const name = visibleName(body, 'body');
    if (!(await updatePictureName(db, params.idPicture, name, now))) throw notFound('Picture');
  },
});
