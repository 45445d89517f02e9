import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { Thematic } from '../thematic.ts';
import { thematics } from '../thematic-store.ts';

export const getThematic = siteOperation({
  id: 'getThematic',
  method: 'GET',
  path: '/thematics/{idThematic}',
  right: 'read',
  tag: 'Thematics',
  summary: 'Get a thematic',
  params: Params({ idThematic: Id('thematic') }),
  reply: Thematic,
  handle: ({ db, params }) => thematics.get(db, params.idThematic),
});
