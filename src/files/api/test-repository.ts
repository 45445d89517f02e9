import { siteAdministration } from '../../accounts/site-administration.ts';
import { Count, IdOf } from '../../platform/http/schema.ts';
import { RepositoryTrial } from '../repository.ts';
import { tryRepository } from '../repository-administration.ts';

export const testRepository = siteAdministration({
  id: 'testRepository',
  method: 'POST',
  path: '/repositories/{idRepository}/test',
  summary: 'Test a repository',
  params: { idRepository: IdOf('repository', Count("0 is the site's own folder")) },
  reply: RepositoryTrial,
  refusals: [422, 503],
  handle: async ({ app, site, params }) => tryRepository(app, site, params.idRepository),
});
