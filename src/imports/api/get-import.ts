import { siteOperation } from '../../platform/http/operation.ts';
import { found } from '../../platform/http/refusal.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { Import } from '../import.ts';
import { findImport, versionOfImport } from '../import-store.ts';

export const getImport = siteOperation({
  id: 'getImport',
  method: 'GET',
  path: '/imports/{idImport}',
  right: 'read',
  tag: 'Imports',
  summary: 'Get an import',
  params: Params({ idImport: Id('import') }),
  versionOf: (db, { params }, isLocked) => versionOfImport(db, params.idImport, isLocked),
  reply: Import,
  handle: async ({ db, params }) => found(await findImport(db, params.idImport), 'Import'),
});
