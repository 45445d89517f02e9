import { adminOperation } from '../../platform/http/operation.ts';
import { Params, Type } from '../../platform/http/schema.ts';
import { SendingDomainSchema } from '../sending-domain.ts';
import { listSendingDomains as readDomains } from '../sending-domain-store.ts';
import { SiteName } from '../site.ts';
import { siteNamed } from '../site-store.ts';

export const listSendingDomains = adminOperation({
  id: 'listSendingDomains',
  method: 'GET',
  path: '/sites/{idsite}/sending-domains',
  right: 'admin',
  tag: 'Administration',
  summary: "List a site's sending domains",
  params: Params({ idsite: SiteName() }),
  reply: Type.Array(SendingDomainSchema),
  handle: async ({ db, app, params }) => {
    const site = await siteNamed(db, params.idsite);
    return readDomains(db, app.secrets, site.id);
  },
});
