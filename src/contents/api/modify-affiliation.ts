import { siteAction } from '../../platform/http/operation.ts';
import { AffiliationChange, checkWebSite } from '../affiliation.ts';
import { affiliations } from '../affiliation-store.ts';

export const modifyAffiliation = siteAction({
  id: 'modifyAffiliation',
  method: 'PUT',
  path: '/affiliations',
  right: 'write',
  tag: 'Advertisements',
  summary: 'Modify an affiliation platform',
  description: 'Send only the properties to change; the others keep their values.',
  deprecated: true,
  body: AffiliationChange,
  refusals: [404],
  async handle({ db, body }) {
    checkWebSite(body.webSite);
    await affiliations.merge(db, body.id, body);
  },
});
