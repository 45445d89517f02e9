import { adminOperation } from '../../platform/http/operation.ts';
import { Type } from '../../platform/http/schema.ts';
import { listPostcodeLoads, PostcodeLoad } from '../places/postcode-store.ts';

export const listPostcodes = adminOperation({
  id: 'listPostcodes',
  method: 'GET',
  path: '/postcodes',
  right: 'admin',
  tag: 'Administration',
  summary: 'List the loaded postcode files',
  reply: Type.Array(PostcodeLoad),
  handle: ({ db }) => listPostcodeLoads(db),
});
