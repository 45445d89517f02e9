import { siteOperation } from '../../platform/http/operation.ts';
import { Bool } from '../../platform/http/schema.ts';
import { AffiliationChange, checkWebSite } from '../affiliation.ts';
import { updateAffiliation } from '../affiliation-store.ts';

export const modifyAffiliation = siteOperation({
  id: 'modifyAffiliation',
  method: 'PUT',
  path: '/affiliations',
  right: 'write',
  tag: 'Advertisements',
  summary: 'Modify an affiliation platform',
  description: 'Send only the properties to change; the others keep their values.',
  deprecated: true,
  body: AffiliationChange,
  reply: Bool(),
  refusals: [404],
  async handle({ db, body }) {
    checkWebSite(body.webSite);
    await updateAffiliation(db, body);
    return true;
  },
});
