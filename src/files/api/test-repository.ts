import { SiteName } from '../../accounts/site.ts';
import { adminOperation } from '../../platform/http/operation.ts';
import { Count, IdOf, Params } from '../../platform/http/schema.ts';
import { RepositoryTrial } from '../repository.ts';
import { tryRepository } from '../repository-administration.ts';
import { siteOf } from '../site-of.ts';

export const testRepository = adminOperation({
  id: 'testRepository',
  method: 'POST',
  path: '/sites/{idsite}/repositories/{idRepository}/test',
  right: 'admin',
  tag: 'Administration',
  summary: 'Test a repository',
  params: Params({
    idsite: SiteName(),
    idRepository: IdOf('repository', Count("0 is the site's own folder")),
  }),
  reply: RepositoryTrial,
  refusals: [422, 503],
  handle: async ({ app, params }) =>
    tryRepository(app, await siteOf(app, params.idsite), params.idRepository),
});
