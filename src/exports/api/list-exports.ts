import { siteOperation } from '../../platform/http/operation.ts';
import { Line, OneOf, Paged, Paging, pageOf, pageRange, Query, Type } from '../../platform/http/schema.ts';
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
    'filter.name': Type.Optional(Line(255, 'A part of the file’s name, ignoring case and accents')),
    'filter.state': Type.Optional(OneOf(exportStates, 'Only exports in this state')),
    ...Paging(['Id']),
  }),
  reply: Paged(ExportState),
  async handle({ app, db, query }) {
    const range = pageRange(query);
    const { totalCount, rows } = await listExportRows(db, {
      name: query['filter.name']?.trim(),
      state: query['filter.state'],
      ...range,
    });
    return pageOf(await showStates(app, db.site.name, rows), totalCount, range.start);
  },
});
