import { siteOperation } from '../../platform/http/operation.ts';
import { Paged } from '../../platform/http/schema.ts';
import { Affiliation } from '../affiliation.ts';
import { affiliations } from '../affiliation-store.ts';
import { NamedListQuery } from '../record-store.ts';

export const listAffiliations = siteOperation({
  id: 'listAffiliations',
  method: 'GET',
  path: '/affiliations',
  right: 'read',
  tag: 'Advertisements',
  summary: 'List affiliation platforms',
  query: NamedListQuery(),
  reply: Paged(Affiliation),
  handle: ({ db, query }) => affiliations.list(db, query),
});
