import { siteAction } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { lockAdvertisement } from '../advertisement-store.ts';
import { DirectoryIds } from '../directory.ts';
import { setDirectories } from '../object-directory-store.ts';

export const setAdvertisementDirectories = siteAction({
  id: 'setAdvertisementDirectories',
  method: 'PUT',
  path: '/advertisements/{idAdvertisement}/directories',
  right: 'write',
  tag: 'Tags',
  summary: 'Set the directories (tags) of an advertisement',
  description:
    'The body is the ids of all its directories, of the type Pub or Unknown. They replace its current ones; an ' +
    'empty list removes all. `listAdvertisements` can list by directory.',
  params: Params({ idAdvertisement: Id('advertisement') }),
  body: DirectoryIds,
  refusals: [422],
  handle: ({ db, params, body }) =>
    db.transaction(async (tx) => {
      await lockAdvertisement(tx, params.idAdvertisement);
      await setDirectories(tx, 'advertisement', params.idAdvertisement, body);
    }),
});
