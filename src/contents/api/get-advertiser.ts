import { siteOperation } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { Advertiser } from '../advertiser.ts';
import { findAdvertiser } from '../advertiser-store.ts';

export const getAdvertiser = siteOperation({
  id: 'getAdvertiser',
  method: 'GET',
  path: '/advertisers/{idAdvertiser}',
  right: 'read',
  tag: 'Advertisements',
  summary: 'Get an advertiser',
  deprecated: true,
  params: Params({ idAdvertiser: Id('advertiser') }),
  reply: Advertiser,
  async handle({ db, params }) {
    const advertiser = await findAdvertiser(db, params.idAdvertiser);
    if (!advertiser) throw notFound('Advertiser');
    return advertiser;
  },
});
