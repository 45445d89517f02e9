import { setFavourite } from '../../contents/favourite-store.ts';
import { siteAction } from '../../platform/http/operation.ts';
import { Bool, Id, Params } from '../../platform/http/schema.ts';
import { lockTarget } from '../target-store.ts';

export const setTargetFavourite = siteAction({
  id: 'setTargetFavourite',
  method: 'PUT',
  path: '/targets/{idTarget}/favourite',
  // Favourites belong to their user and change nothing for other users.
  right: 'read',
  tag: 'Tags',
  summary: 'Set whether a target is a favourite',
  description:
    "The body is true or false. Favourites are those of the token's user; the location MyFavorites lists them.",
  params: Params({ idTarget: Id('target') }),
  body: Bool(),
  handle: ({ db, params, body, caller }) =>
    db.transaction(async (tx) => {
      await lockTarget(tx, params.idTarget);
      await setFavourite(tx, caller.idUser, 'target', params.idTarget, body);
    }),
});
