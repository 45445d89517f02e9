import { favouritesOf } from '../../contents/favourite-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Int32, Type } from '../../platform/http/schema.ts';

export const listFavouriteCampaigns = siteOperation({
  id: 'listFavouriteCampaigns',
  method: 'GET',
  path: '/campaigns/favourites',
  right: 'read',
  tag: 'Tags',
  summary: 'List the ids of favourite campaigns',
  description: "Favourites are those of the token's user. Ids are ascending.",
  reply: Type.Array(Int32()),
  handle: ({ db, caller }) => favouritesOf(db, caller.idUser, 'campaign'),
});
