import { SiteName } from '../../accounts/site.ts';
import { adminOperation } from '../../platform/http/operation.ts';
import { Bool, Id, Params } from '../../platform/http/schema.ts';
import { removeRepository } from '../repository-administration.ts';
import { siteOf } from '../site-of.ts';

export const deleteRepository = adminOperation({
  id: 'deleteRepository',
  method: 'DELETE',
  path: '/sites/{idsite}/repositories/{idRepository}',
  right: 'admin',
  tag: 'Administration',
  summary: 'Delete an external repository and its secrets',
  description:
    "The site's default one cannot be deleted: choose another first. Exports that wait for the deleted one fail and " +
    'say so. The files on the server stay.',
  params: Params({ idsite: SiteName(), idRepository: Id('repository') }),
  reply: Bool(),
  refusals: [409],
  async handle({ app, params }) {
    await removeRepository(app, await siteOf(app, params.idsite), params.idRepository);
    return true;
  },
});
