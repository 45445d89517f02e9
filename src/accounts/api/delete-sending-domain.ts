import { adminOperation } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Bool, Id, Params } from '../../platform/http/schema.ts';
import { deleteSendingDomain as removeDomain } from '../sending-domain-store.ts';
import { SiteName } from '../site.ts';
import { siteNamed } from '../site-store.ts';

export const deleteSendingDomain = adminOperation({
  id: 'deleteSendingDomain',
  method: 'DELETE',
  path: '/sites/{idsite}/sending-domains/{idSendingDomain}',
  right: 'admin',
  tag: 'Administration',
  summary: 'Delete a sending domain and its DKIM key',
  description:
    'Messages from the domain are no longer signed. To change a key, delete the domain and add it with another ' +
    'selector.',
  params: Params({ idsite: SiteName(), idSendingDomain: Id('sendingDomain') }),
  reply: Bool(),
  handle: async ({ db, params }) => {
    const site = await siteNamed(db, params.idsite);
    if (!(await removeDomain(db, site.id, params.idSendingDomain))) throw notFound('Sending domain');
    return true;
  },
});
