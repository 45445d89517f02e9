import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params, Type } from '../../platform/http/schema.ts';
import { getAdvertisementById } from '../advertisement-store.ts';
import { Directory } from '../directory.ts';
import { directoriesOf } from '../object-directory-store.ts';

export const getAdvertisementDirectories = siteOperation({
  id: 'getAdvertisementDirectories',
  method: 'GET',
  path: '/advertisements/{idAdvertisement}/directories',
  right: 'read',
  tag: 'Tags',
  summary: 'Get the directories (tags) of an advertisement',
  params: Params({ idAdvertisement: Id('advertisement') }),
  reply: Type.Array(Directory),
  async handle({ db, params }) {
    await getAdvertisementById(db, params.idAdvertisement);
    return directoriesOf(db, 'advertisement', params.idAdvertisement);
  },
});
