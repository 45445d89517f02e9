import { SiteName } from '../../accounts/site.ts';
import { adminOperation } from '../../platform/http/operation.ts';
import { Closed, Id, Line, Params } from '../../platform/http/schema.ts';
import { RepositoryShown } from '../repository.ts';
import { acceptHostKey as accept } from '../repository-administration.ts';
import { siteOf } from '../site-of.ts';

export const acceptHostKey = adminOperation({
  id: 'acceptHostKey',
  method: 'PUT',
  path: '/sites/{idsite}/repositories/{idRepository}/host-key',
  right: 'admin',
  tag: 'Administration',
  summary: "Accept a server's new key",
  description:
    'For a server whose key has really changed. Verify the new key with the server’s operator, not by asking the ' +
    'server itself. Facteur connects, and stores the key if the server presents it.',
  params: Params({ idsite: SiteName(), idRepository: Id('repository') }),
  body: Closed('HostKey', {
    hostKey: Line(2000, "The server's public key, or its SHA-256 fingerprint (SHA256:…)"),
  }),
  example: { hostKey: 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU' },
  reply: RepositoryShown,
  refusals: [409, 422],
  handle: async ({ app, params, body }) =>
    accept(app, await siteOf(app, params.idsite), params.idRepository, body.hostKey),
});
