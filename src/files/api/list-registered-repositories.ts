import { SiteName } from '../../accounts/site.ts';
import { adminOperation } from '../../platform/http/operation.ts';
import { Params, Type } from '../../platform/http/schema.ts';
import { RepositoryShown } from '../repository.ts';
import { listRepositories } from '../repository-store.ts';
import { siteOf } from '../site-of.ts';

export const listRegisteredRepositories = adminOperation({
  id: 'listRegisteredRepositories',
  method: 'GET',
  path: '/sites/{idsite}/repositories',
  right: 'admin',
  tag: 'Administration',
  summary: "List a site's external repositories",
  params: Params({ idsite: SiteName() }),
  reply: Type.Array(RepositoryShown),
  handle: async ({ app, params }) => listRepositories(await siteOf(app, params.idsite)),
});
