import { siteAdministration } from '../../accounts/site-administration.ts';
import { Type } from '../../platform/http/schema.ts';
import { RepositoryShown } from '../repository.ts';
import { listRepositories } from '../repository-store.ts';

export const listRegisteredRepositories = siteAdministration({
  id: 'listRegisteredRepositories',
  method: 'GET',
  path: '/repositories',
  summary: "List a site's external repositories",
  reply: Type.Array(RepositoryShown),
  handle: async ({ site }) => listRepositories(site),
});
