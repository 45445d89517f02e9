import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Nullable, Query } from '../../platform/http/schema.ts';
import { ExportState } from '../export.ts';
import { findExport } from '../export-store.ts';
import { showStates } from '../export-view.ts';

export const getExportState = siteOperation({
  id: 'getExportState',
  method: 'GET',
  path: '/exports/state',
  right: 'read',
  tag: 'Exports',
  summary: 'Get the state of an export',
  description: 'null for an unknown id.',
  query: Query({ idExport: Id('export') }),
  reply: Nullable(ExportState),
  async handle({ app, db, query }) {
    const found = await findExport(db, query.idExport);
    return found ? (await showStates(app, db.site.name, [found]))[0]! : null;
  },
});
