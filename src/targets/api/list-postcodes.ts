import { adminOperation } from '../../platform/http/operation.ts';
import { Type } from '../../platform/http/schema.ts';
import { listPostcodeLoads, PostcodeLoad } from '../places/postcode-store.ts';

export const listPostcodes = adminOperation({
  id: 'listPostcodes',
  method: 'GET',
  path: '/postcodes',
  right: 'admin',
  tag: 'Administration',
  summary: 'Tell what the postcodes of each country were loaded from',
  reply: Type.Array(PostcodeLoad),
  handle: ({ db }) => listPostcodeLoads(db),
});
