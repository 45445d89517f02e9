import { SiteName } from '../../accounts/site.ts';
import { adminOperation } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { RepositoryInput, RepositoryShown } from '../repository.ts';
import { changeRepository } from '../repository-administration.ts';
import { siteOf } from '../site-of.ts';

export const updateRepository = adminOperation({
  id: 'updateRepository',
  method: 'PUT',
  path: '/sites/{idsite}/repositories/{idRepository}',
  right: 'admin',
  tag: 'Administration',
  summary: 'Replace an external repository',
  description:
    'Facteur connects with the new settings before it stores anything. A password or private key left ' +
    'out keeps its value, null removes it. A new host or port needs them again, and its key is learnt as at ' +
    'registration.',
  params: Params({ idsite: SiteName(), idRepository: Id('repository') }),
  body: RepositoryInput,
  reply: RepositoryShown,
  refusals: [409, 422, 503],
  handle: async ({ app, params, body }) =>
    changeRepository(app, await siteOf(app, params.idsite), params.idRepository, body),
});
