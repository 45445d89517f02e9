import { siteAction } from '../../platform/http/operation.ts';
import { visibleName } from '../../platform/http/visible-name.ts';
import { DirectoryChange } from '../directory.ts';
import { changeDirectory } from '../directory-store.ts';

export const updatePictureDirectory = siteAction({
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
  refusals: [404, 409, 422],
  handle: ({ db, body }) => changeDirectory(db, { ...body, name: visibleName(body.name) }),
});
