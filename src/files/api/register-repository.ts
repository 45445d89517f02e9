import { SiteName } from '../../accounts/site.ts';
import { adminOperation } from '../../platform/http/operation.ts';
import { Params } from '../../platform/http/schema.ts';
import { RepositoryInput, RepositoryShown } from '../repository.ts';
import { registerRepository as register } from '../repository-administration.ts';
import { siteOf } from '../site-of.ts';

export const registerRepository = adminOperation({
  id: 'registerRepository',
  method: 'POST',
  path: '/sites/{idsite}/repositories',
  right: 'admin',
  tag: 'Administration',
  summary: 'Register an external repository of a site',
  description:
    'Facteur connects and signs in before it stores anything. The server’s key is stored, and another ' +
    'one is rejected later. Send `hostKey` if you know the key, so that the first connection is checked too.',
  params: Params({ idsite: SiteName() }),
  body: RepositoryInput,
  example: {
    host: 'sftp.example.com',
    port: 22,
    subfolder: 'facteur',
    login: 'shop',
    password: 'a secret',
    hostKey: 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU',
  },
  reply: RepositoryShown,
  refusals: [422],
  handle: async ({ app, params, body }) => register(app, await siteOf(app, params.idsite), body),
});
