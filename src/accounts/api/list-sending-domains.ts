import { Type } from '../../platform/http/schema.ts';
import { SendingDomainSchema } from '../sending-domain.ts';
import { listSendingDomains as readDomains } from '../sending-domain-store.ts';
import { siteAdministration } from '../site-administration.ts';

export const listSendingDomains = siteAdministration({
  id: 'listSendingDomains',
  method: 'GET',
  path: '/sending-domains',
  summary: "List a site's sending domains",
  reply: Type.Array(SendingDomainSchema),
  handle: ({ db, app, idSite }) => readDomains(db, app.secrets, idSite),
});
