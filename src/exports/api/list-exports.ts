import { siteOperation } from '../../platform/http/operation.ts';
import { OneOf, Paged, Paging, Query, Type } from '../../platform/http/schema.ts';
import { ExportState, exportStates } from '../export.ts';
import { listExportRows } from '../export-store.ts';
import { showStates } from '../export-view.ts';

export const listExports = siteOperation({
  id: 'listExports',
  method: 'GET',
  path: '/exports',
  right: 'read',
  tag: 'Exports',
  summary: 'List exports',
  query: Query({
    'filter.state': Type.Optional(OneOf(exportStates, 'Only exports in this state')),
    ...Paging(['Id']),
  }),
  reply: Paged(ExportState),
  async handle({ app, db, query }) {
    const start = query['filter.start'] ?? 0;
    const { totalCount, rows } = await listExportRows(db, {
      state: query['filter.state'],
      isDescending: query['filter.order'] === 'DESC',
      start,
      limit: query['filter.limit'] ?? 50,
    });
    const items = await showStates(app, db.site.name, rows);
    return { totalCount, count: items.length, items, start };
  },
});
