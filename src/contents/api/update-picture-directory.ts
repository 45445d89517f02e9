import { siteOperation } from '../../platform/http/operation.ts';
import { Bool } from '../../platform/http/schema.ts';
import { visibleName } from '../../platform/http/visible-name.ts';
import { DirectoryChange } from '../directory.ts';
import { renameDirectory } from '../directory-store.ts';

export const updatePictureDirectory = siteOperation({
  id: 'updatePictureDirectory',
  method: 'PUT',
  path: '/pictures/directories',
  right: 'write',
  tag: 'Tags',
  summary: 'Rename a directory',
  description:
    'Of any type, but not one of the system (422). Its type and its place stay: they may be sent as they are.',
  body: DirectoryChange,
  reply: Bool(),
  refusals: [404, 409, 422],
  async handle({ db, body }) {
    await renameDirectory(db, { ...body, name: visibleName(body.name) });
    return true;
  },
});
