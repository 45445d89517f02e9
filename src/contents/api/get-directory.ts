import { siteOperation } from '../../platform/http/operation.ts';
import { found } from '../../platform/http/refusal.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { Directory } from '../directory.ts';
import { findDirectory } from '../directory-store.ts';

export const getDirectory = siteOperation({
  id: 'getDirectory',
  method: 'GET',
  path: '/directories/{idDirectory}',
  right: 'read',
  tag: 'Tags',
  summary: 'Get a directory',
  params: Params({ idDirectory: Id('directory') }),
  reply: Directory,
  handle: async ({ db, params }) => found(await findDirectory(db, params.idDirectory), 'Directory'),
});
