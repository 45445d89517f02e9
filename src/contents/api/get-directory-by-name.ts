import { siteOperation } from '../../platform/http/operation.ts';
import { found } from '../../platform/http/refusal.ts';
import { IdOf, Line, Query } from '../../platform/http/schema.ts';
import { Directory } from '../directory.ts';
import { findDirectoryByName } from '../directory-store.ts';

export const getDirectoryByName = siteOperation({
  id: 'getDirectoryByName',
  method: 'GET',
  path: '/directories/by-name',
  right: 'read',
  tag: 'Tags',
  summary: 'Get a directory by name',
  description: 'Ignores case, accents and surrounding spaces. If several have the name, returns the oldest.',
  query: Query({ name: IdOf('directoryName', Line(255)) }),
  reply: Directory,
  refusals: [404],
  handle: async ({ db, query }) => found(await findDirectoryByName(db, query.name.trim()), 'Directory'),
});
