import { siteAdministration } from '../../accounts/site-administration.ts';
import { Bool, Closed, Count, IdOf } from '../../platform/http/schema.ts';
import { chooseDefaultRepository } from '../repository-administration.ts';

export const setDefaultRepository = siteAdministration({
  id: 'setDefaultRepository',
  method: 'PUT',
  path: '/default-repository',
  summary: "Choose a site's default repository",
  description:
    'Imports and all operations that name a file without a repository read from it. Files are not moved.',
  body: Closed('DefaultRepository', {
    idRepository: IdOf('repository', Count("0 is the site's own folder on the embedded SFTP server")),
  }),
  example: { idRepository: 1 },
  reply: Bool(),
  async handle({ site, body }) {
    await chooseDefaultRepository(site, body.idRepository);
    return true;
  },
});
