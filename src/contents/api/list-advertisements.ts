import { siteOperation } from '../../platform/http/operation.ts';
import { Count, IdOf, Query, Type } from '../../platform/http/schema.ts';
import { Advertisement } from '../advertisement.ts';
import { listAllAdvertisements } from '../advertisement-store.ts';
import { checkDirectory } from '../directory-store.ts';

export const listAdvertisements = siteOperation({
  id: 'listAdvertisements',
  method: 'GET',
  path: '/advertisements',
  right: 'read',
  tag: 'Advertisements',
  summary: 'List advertisements',
  description: 'All advertisements by id, archived ones too; `isArchive` marks them.',
  query: Query({
    idDirectory: Type.Optional(IdOf('directory', Count('Only those in this directory (tag); 0 means all'))),
  }),
  reply: Type.Array(Advertisement),
  refusals: [404, 422],
  async handle({ db, query: { idDirectory = 0 } }) {
    if (idDirectory > 0) await checkDirectory(db, 'advertisement', 'idDirectory', idDirectory);
    return listAllAdvertisements(db, idDirectory);
  },
});
