import { SiteName } from '../../accounts/site.ts';
import { adminOperation } from '../../platform/http/operation.ts';
import { Bool, Closed, Count, IdOf, Params } from '../../platform/http/schema.ts';
import { chooseDefaultRepository } from '../repository-administration.ts';
import { siteOf } from '../site-of.ts';

export const setDefaultRepository = adminOperation({
  id: 'setDefaultRepository',
  method: 'PUT',
  path: '/sites/{idsite}/default-repository',
  right: 'admin',
  tag: 'Administration',
  summary: "Choose a site's default repository",
  description:
    'Imports and all operations that name a file without a repository read from it. Files are not moved.',
  params: Params({ idsite: SiteName() }),
  body: Closed('DefaultRepository', {
    idRepository: IdOf('repository', Count("0 is the site's own folder on the embedded SFTP server")),
  }),
  example: { idRepository: 1 },
  reply: Bool(),
  async handle({ app, params, body }) {
    await chooseDefaultRepository(await siteOf(app, params.idsite), body.idRepository);
    return true;
  },
});
