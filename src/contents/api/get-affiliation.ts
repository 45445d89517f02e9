import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { Affiliation } from '../affiliation.ts';
import { affiliations } from '../affiliation-store.ts';

export const getAffiliation = siteOperation({
  id: 'getAffiliation',
  method: 'GET',
  path: '/affiliations/{idAffiliation}',
  right: 'read',
  tag: 'Advertisements',
  summary: 'Get an affiliation platform',
  deprecated: true,
  params: Params({ idAffiliation: Id('affiliation') }),
  reply: Affiliation,
  handle: ({ db, params }) => affiliations.get(db, params.idAffiliation),
});
