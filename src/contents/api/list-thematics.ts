import { siteOperation } from '../../platform/http/operation.ts';
import { Paged } from '../../platform/http/schema.ts';
import { listNamed, NamedListQuery } from '../named-list.ts';
import { Thematic } from '../thematic.ts';
import { thematicColumns } from '../thematic-store.ts';

export const listThematics = siteOperation({
  id: 'listThematics',
  method: 'GET',
  path: '/thematics',
  right: 'read',
  tag: 'Thematics',
  summary: 'List thematics',
  query: NamedListQuery(),
  reply: Paged(Thematic),
  handle: ({ db, query }) =>
    listNamed<Thematic>(db, { table: db.t.thematic, columns: thematicColumns }, query),
});
