import { siteOperation } from '../../platform/http/operation.ts';
import { Affiliation, checkWebSite, NewAffiliation } from '../affiliation.ts';
import { affiliations } from '../affiliation-store.ts';

export const createAffiliation = siteOperation({
  id: 'createAffiliation',
  method: 'POST',
  path: '/affiliations',
  right: 'write',
  tag: 'Advertisements',
  summary: 'Create an affiliation platform',
  deprecated: true,
  body: NewAffiliation,
  example: { name: 'Affiliates', webSite: 'https://affiliates.example/' },
  reply: Affiliation,
  async handle({ db, body: { name, webSite } }) {
    checkWebSite(webSite);
    return affiliations.insert(db, { name, webSite });
  },
});
