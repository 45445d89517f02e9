import { siteOperation } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Count, Id, Paged, Params, Query, Type } from '../../platform/http/schema.ts';
import { ImportLog } from '../import.ts';
import { listLogs } from '../import-log-store.ts';
import { findImport } from '../import-store.ts';

export const listImportLogs = siteOperation({
  id: 'listImportLogs',
  method: 'GET',
  path: '/imports/{idImport}/logs',
  right: 'read',
  tag: 'Imports',
  summary: "List an import's logs",
  params: Params({ idImport: Id('import') }),
  query: Query({
    'filter.start': Type.Optional(Count()),
    'filter.limit': Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 50 })),
  }),
  reply: Paged(ImportLog),
  async handle({ db, params: { idImport }, query }) {
    const { 'filter.start': start = 0, 'filter.limit': limit = 50 } = query;
    if (!(await findImport(db, idImport))) throw notFound('Import');
    const { totalCount, logs } = await listLogs(db, idImport, { start, limit });
    return { totalCount, count: logs.length, items: logs.map(({ log }) => log), start };
  },
});
