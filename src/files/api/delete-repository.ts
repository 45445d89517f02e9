import { siteAdministration } from '../../accounts/site-administration.ts';
import { Bool, Id } from '../../platform/http/schema.ts';
import { removeRepository } from '../repository-administration.ts';

export const deleteRepository = siteAdministration({
  id: 'deleteRepository',
  method: 'DELETE',
  path: '/repositories/{idRepository}',
  summary: 'Delete an external repository and its secrets',
  description:
    "The site's default one cannot be deleted: choose another first. Exports that wait for the deleted one fail and " +
    'say so. The files on the server stay.',
  params: { idRepository: Id('repository') },
  reply: Bool(),
  refusals: [409],
  async handle({ app, site, params }) {
    await removeRepository(app, site, params.idRepository);
    return true;
  },
});
