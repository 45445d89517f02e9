import { siteAdministration } from '../../accounts/site-administration.ts';
import { Closed, Id, Line } from '../../platform/http/schema.ts';
import { RepositoryShown } from '../repository.ts';
import { acceptHostKey as accept } from '../repository-administration.ts';

export const acceptHostKey = siteAdministration({
  id: 'acceptHostKey',
  method: 'PUT',
  path: '/repositories/{idRepository}/host-key',
  summary: "Accept a server's new key",
  description:
    'For a server whose key has really changed. Verify the new key with the server’s operator, not by asking the ' +
    'server itself. Facteur connects, and stores the key if the server presents it.',
  params: { idRepository: Id('repository') },
  body: Closed('HostKey', {
    hostKey: Line(2000, "The server's public key, or its SHA-256 fingerprint (SHA256:…)"),
  }),
  example: { hostKey: 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU' },
  reply: RepositoryShown,
  refusals: [409, 422],
  handle: async ({ app, site, params, body }) => accept(app, site, params.idRepository, body.hostKey),
});
