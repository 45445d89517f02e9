import { siteAction } from '../../platform/http/operation.ts';
import { Bool, Id, Params } from '../../platform/http/schema.ts';
import { setFavourite } from '../favourite-store.ts';
import { lockConfiguration } from '../sending-configuration-store.ts';

export const setSendingConfigurationFavourite = siteAction({
  id: 'setSendingConfigurationFavourite',
  method: 'PUT',
  path: '/sending-configurations/{idConfig}/favourite',
  // Favourites belong to their user and change nothing for other users.
  right: 'read',
  tag: 'Tags',
  summary: 'Set whether a sending configuration is a favourite',
  description:
    "The body is true or false. Favourites are those of the token's user; the location MyFavorites lists them.",
  params: Params({ idConfig: Id('configuration') }),
  body: Bool(),
  handle: ({ db, params, body, caller }) =>
    db.transaction(async (tx) => {
      await lockConfiguration(tx, params.idConfig);
      await setFavourite(tx, caller.idUser, 'sending_configuration', params.idConfig, body);
    }),
});
