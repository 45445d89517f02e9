import { siteOperation } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { Thematic } from '../thematic.ts';
import { findThematic } from '../thematic-store.ts';

export const getThematic = siteOperation({
  id: 'getThematic',
  method: 'GET',
  path: '/thematics/{idThematic}',
  right: 'read',
  tag: 'Thematics',
  summary: 'Get a thematic',
  params: Params({ idThematic: Id('thematic') }),
  reply: Thematic,
  async handle({ db, params }) {
    const thematic = await findThematic(db, params.idThematic);
    if (!thematic) throw notFound('Thematic');
    return thematic;
  },
});
