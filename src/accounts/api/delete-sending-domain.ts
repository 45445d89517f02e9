import { found } from '../../platform/http/refusal.ts';
import { Bool, Id } from '../../platform/http/schema.ts';
import { deleteSendingDomain as removeDomain } from '../sending-domain-store.ts';
import { siteAdministration } from '../site-administration.ts';

export const deleteSendingDomain = siteAdministration({
  id: 'deleteSendingDomain',
  method: 'DELETE',
  path: '/sending-domains/{idSendingDomain}',
  summary: 'Delete a sending domain and its DKIM key',
  description:
    'Messages from the domain are no longer signed. To change a key, delete the domain and add it with another ' +
    'selector.',
  params: { idSendingDomain: Id('sendingDomain') },
  reply: Bool(),
  handle: async ({ db, idSite, params }) =>
    found(await removeDomain(db, idSite, params.idSendingDomain), 'Sending domain'),
});
