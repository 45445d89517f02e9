import { siteOperation } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { Affiliation } from '../affiliation.ts';
import { findAffiliation } from '../affiliation-store.ts';

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
  async handle({ db, params }) {
    const affiliation = await findAffiliation(db, params.idAffiliation);
    if (!affiliation) throw notFound('Affiliation');
    return affiliation;
  },
});
