import { siteOperation } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { Import } from '../import.ts';
import { findImport } from '../import-store.ts';

export const getImport = siteOperation({
  id: 'getImport',
  method: 'GET',
  path: '/imports/{idImport}',
  right: 'read',
  tag: 'Imports',
  summary: 'Get an import',
  params: Params({ idImport: Id('import') }),
  reply: Import,
  async handle({ db, params }) {
    const found = await findImport(db, params.idImport);
    if (!found) throw notFound('Import');
    return found;
  },
});
