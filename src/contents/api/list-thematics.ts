import { siteOperation } from '../../platform/http/operation.ts';
import { Paged } from '../../platform/http/schema.ts';
import { NamedListQuery } from '../record-store.ts';
import { Thematic } from '../thematic.ts';
import { thematics } from '../thematic-store.ts';

export const listThematics = siteOperation({
  id: 'listThematics',
  method: 'GET',
  path: '/thematics',
  right: 'read',
  tag: 'Thematics',
  summary: 'List thematics',
  query: NamedListQuery(),
  reply: Paged(Thematic),
  handle: ({ db, query }) => thematics.list(db, query),
});
