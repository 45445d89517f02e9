import { siteOperation } from '../../platform/http/operation.ts';
import { Line, OneOf, Paged, Paging, pageOf, Query, Type } from '../../platform/http/schema.ts';
import { ImportListItem } from '../import.ts';
import { importSortings, listImports as readImports } from '../import-list-store.ts';
import { importStates } from '../import-state.ts';

const shownDays = 15;

export const listImports = siteOperation({
  id: 'listImports',
  method: 'GET',
  path: '/imports',
  right: 'read',
  tag: 'Imports',
  summary: 'List the open and recent imports',
  description:
    'Returns imports that have something to do yet, and those that were scheduled or ended in the last 15 days. ' +
    'While an import runs, `nbInserts`, `nbUpdates` and `nbUnchanged` count the people of the rows that it has ' +
    'written so far. The other counters are 0 until it has read the whole file. An import of up to 20,000 valid rows ' +
    'or in safe mode is written at once: its counters are 0 until it ends.',
  query: Query({
    'filter.name': Type.Optional(
      Line(255, 'A part of the file’s name as the list has it, ignoring case and accents'),
    ),
    'filter.state': Type.Optional(OneOf(importStates, 'Only imports in this state')),
    ...Paging(importSortings),
  }),
  reply: Paged(ImportListItem),
  async handle({ db, query, now }) {
    const {
      'filter.start': start = 0,
      'filter.limit': limit = 50,
      'filter.sortBy': sortBy,
      'filter.order': order,
    } = query;
    const since = new Date(now.getTime() - shownDays * 86_400_000);
    const { totalCount, items } = await readImports(db, since, {
      name: query['filter.name']?.trim(),
      state: query['filter.state'],
      ...{ sortBy, order, start, limit },
    });
    return pageOf(items, totalCount, start);
  },
});
