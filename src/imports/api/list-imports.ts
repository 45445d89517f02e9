import { siteOperation } from '../../platform/http/operation.ts';
import { Paged, Paging, Query } from '../../platform/http/schema.ts';
import { ImportListItem } from '../import.ts';
import { importSortings, listImports as readImports } from '../import-list-store.ts';

const shownDays = 15;

export const listImports = siteOperation({
  id: 'listImports',
  method: 'GET',
  path: '/imports',
  right: 'read',
  tag: 'Imports',
  summary: 'List the open and recent imports',
  query: Query(Paging(importSortings)),
  reply: Paged(ImportListItem),
  async handle({ db, query, now }) {
    const {
      'filter.start': start = 0,
      'filter.limit': limit = 50,
      'filter.sortBy': sortBy,
      'filter.order': order,
    } = query;
    const since = new Date(now.getTime() - shownDays * 86_400_000);
    const { totalCount, items } = await readImports(db, since, { sortBy, order, start, limit });
    return { totalCount, count: items.length, items, start };
  },
});
