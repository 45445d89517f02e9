import { siteOperation } from '../../platform/http/operation.ts';
import { Paged } from '../../platform/http/schema.ts';
import { Affiliation } from '../affiliation.ts';
import { affiliationColumns } from '../affiliation-store.ts';
import { listNamed, NamedListQuery } from '../named-list.ts';

export const listAffiliations = siteOperation({
  id: 'listAffiliations',
  method: 'GET',
  path: '/affiliations',
  right: 'read',
  tag: 'Advertisements',
  summary: 'List affiliation platforms',
  query: NamedListQuery(),
  reply: Paged(Affiliation),
  handle: ({ db, query }) =>
    listNamed<Affiliation>(db, { table: db.t.affiliation, columns: affiliationColumns }, query),
});
