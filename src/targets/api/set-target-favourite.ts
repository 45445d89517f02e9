import { setFavourite } from '../../contents/favourite-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Bool, Id, Params } from '../../platform/http/schema.ts';
import { lockTarget } from '../target-store.ts';

export const setTargetFavourite = siteOperation({
  id: 'setTargetFavourite',
  method: 'PUT',
  path: '/targets/{idTarget}/favourite',
  // A favourite is its user's own and changes nothing for anybody else.
  right: 'read',
  tag: 'Tags',
  summary: 'Make a target a favourite of the caller, or no longer',
  description:
    "The body is true or false. Favourites are those of the token's user; the location MyFavorites lists them.",
  params: Params({ idTarget: Id('target') }),
  body: Bool(),
  reply: Bool(),
  handle: ({ db, params, body, caller }) =>
    db.transaction(async (tx) => {
      await lockTarget(tx, params.idTarget);
      await setFavourite(tx, caller.idUser, 'target', params.idTarget, body);
      return true;
    }),
});
