import { siteOperation } from '../../platform/http/operation.ts';
import { Bool } from '../../platform/http/schema.ts';
import { visibleName } from '../../platform/http/visible-name.ts';
import { DirectoryChange } from '../directory.ts';
import { changeDirectory } from '../directory-store.ts';

export const updatePictureDirectory = siteOperation({
  id: 'updatePictureDirectory',
  method: 'PUT',
  path: '/pictures/directories',
  right: 'write',
  tag: 'Tags',
  summary: 'Rename or move a directory',
  description:
    'System directories cannot be changed (422). `idParent` moves the directory with everything in it; 0 or null ' +
    'moves it to the top. Its type cannot change.',
  body: DirectoryChange,
  reply: Bool(),
  refusals: [404, 409, 422],
  async handle({ db, body }) {
    await changeDirectory(db, { ...body, name: visibleName(body.name) });
    return true;
  },
});
