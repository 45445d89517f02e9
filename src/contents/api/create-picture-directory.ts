import { siteOperation } from '../../platform/http/operation.ts';
import { refused } from '../../platform/http/refusal.ts';
import { Int32 } from '../../platform/http/schema.ts';
import { visibleName } from '../../platform/http/visible-name.ts';
import { maxDepth, maxDirectories, NewDirectory } from '../directory.ts';
import { createDirectory } from '../directory-store.ts';

export const createPictureDirectory = siteOperation({
  id: 'createPictureDirectory',
  method: 'POST',
  path: '/pictures/directories',
  right: 'write',
  tag: 'Tags',
  summary: 'Create a directory or sub-directory',
  description:
    'Default type: pictures (`dirType`). A sub-directory must have the type of its parent. ' +
    `Directories are at most ${maxDepth} levels deep. The name must be unique within the parent, ignoring case ` +
    `and accents (409). A site has at most ${maxDirectories} directories.`,
  body: NewDirectory,
  example: { name: 'Season', dirType: 'Campaign' },
  reply: Int32(),
  refusals: [404, 409, 422],
  async handle({ db, body }) {
    if (body.isSystem) throw refused('isSystem: must be false; only the service creates system directories');
    return createDirectory(db, {
      name: visibleName(body.name),
      idParent: body.idParent ?? null,
      dirType: body.dirType ?? 'Image',
    });
  },
});
