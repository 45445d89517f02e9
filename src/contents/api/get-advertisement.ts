import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { Advertisement } from '../advertisement.ts';
import { advertisements } from '../advertisement-store.ts';

export const getAdvertisement = siteOperation({
  id: 'getAdvertisement',
  method: 'GET',
  path: '/advertisements/{idAdvertisement}',
  right: 'read',
  tag: 'Advertisements',
  summary: 'Get an advertisement',
  params: Params({ idAdvertisement: Id('advertisement') }),
  reply: Advertisement,
  handle: ({ db, params }) => advertisements.get(db, params.idAdvertisement),
});
