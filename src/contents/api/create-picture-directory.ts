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
    'Of any type; of pictures unless `dirType` says otherwise. A sub-directory has the type of its parent and keeps ' +
    `its place; directories stand at most ${maxDepth} deep. The name is free in that place, without regard to case ` +
    `and accents (409). A site has at most ${maxDirectories} directories.`,
  body: NewDirectory,
  example: { name: 'Season', dirType: 'Campaign' },
  reply: Int32(),
  refusals: [404, 409, 422],
  async handle({ db, body }) {
    if (body.isSystem) throw refused("isSystem: directories of the system are the service's own");
    return createDirectory(db, {
      name: visibleName(body.name),
      idParent: body.idParent ?? null,
      dirType: body.dirType ?? 'Image',
    });
  },
});
