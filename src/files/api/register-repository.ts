import { siteAdministration } from '../../accounts/site-administration.ts';
import { RepositoryInput, RepositoryShown } from '../repository.ts';
import { registerRepository as register } from '../repository-administration.ts';

export const registerRepository = siteAdministration({
  id: 'registerRepository',
  method: 'POST',
  path: '/repositories',
  summary: 'Register an external repository of a site',
  description:
    'Facteur connects and signs in before it stores anything. The server’s key is stored, and another ' +
    'one is rejected later. Send `hostKey` if you know the key, so that the first connection is checked too.',
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
  handle: async ({ app, site, body }) => register(app, site, body),
});
