import { siteOperation } from '../../platform/http/operation.ts';
import { Type } from '../../platform/http/schema.ts';
import { RepositoryItem } from '../repository.ts';
import { repositoriesOf } from '../repository-administration.ts';

export const listRepositories = siteOperation({
  id: 'listRepositories',
  method: 'GET',
  path: '/exports/repositories',
  right: 'read',
  tag: 'Exports',
  summary: 'List the repositories of the site',
  description:
    "The default one first, then by id. 0 is the site's own folder on the embedded SFTP server; an administrator " +
    'registers others.',
  reply: Type.Array(RepositoryItem),
  handle: ({ db, app }) => repositoriesOf(app, db),
});
