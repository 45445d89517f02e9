import { siteOperation } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
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
  async handle({ db, params }) {
    const directory = await findDirectory(db, params.idDirectory);
    if (!directory) throw notFound('Directory');
    return directory;
  },
});
