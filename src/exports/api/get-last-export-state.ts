import { siteOperation } from '../../platform/http/operation.ts';
import { Nullable } from '../../platform/http/schema.ts';
import { ExportState } from '../export.ts';
import { lastExport } from '../export-store.ts';
import { showStates } from '../export-view.ts';

export const getLastExportState = siteOperation({
  id: 'getLastExportState',
  method: 'GET',
  path: '/exports/state/last',
  right: 'read',
  tag: 'Exports',
  summary: 'Get the state of the latest export',
  description: 'null if the site has no export.',
  reply: Nullable(ExportState),
  async handle({ app, db }) {
    const found = await lastExport(db);
    return found ? (await showStates(app, db.site.name, [found]))[0]! : null;
  },
});
