import { siteAdministration } from '../../accounts/site-administration.ts';
import { Id } from '../../platform/http/schema.ts';
import { RepositoryInput, RepositoryShown } from '../repository.ts';
import { changeRepository } from '../repository-administration.ts';

export const updateRepository = siteAdministration({
  id: 'updateRepository',
  method: 'PUT',
  path: '/repositories/{idRepository}',
  summary: 'Replace an external repository',
  description:
    'Facteur connects with the new settings before it stores anything. A password or private key left ' +
    'out keeps its value, null removes it. A new host or port needs them again, and its key is learnt as at ' +
    'registration.',
  params: { idRepository: Id('repository') },
  body: RepositoryInput,
  reply: RepositoryShown,
  refusals: [409, 422, 503],
  handle: async ({ app, site, params, body }) => changeRepository(app, site, params.idRepository, body),
});
