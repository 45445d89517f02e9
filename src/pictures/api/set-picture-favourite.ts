import { setFavourite } from '../../contents/favourite-store.ts';
import { siteAction } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Bool, Id, Params } from '../../platform/http/schema.ts';
import { hasPicture } from '../picture-store.ts';

export const setPictureFavourite = siteAction({
  id: 'setPictureFavourite',
  method: 'PUT',
  path: '/pictures/{idPicture}/favourite',
  // Favourites belong to their user and change nothing for other users.
  right: 'read',
  tag: 'Tags',
  summary: 'Set whether a picture is a favourite',
  description:
    "The body is true or false. Favourites are those of the token's user; the location MyFavorites lists them.",
  params: Params({ idPicture: Id('picture') }),
  body: Bool(),
  async handle({ db, params, body, caller }) {
    if (!(await hasPicture(db, params.idPicture))) throw notFound('Picture');
    await setFavourite(db, caller.idUser, 'picture', params.idPicture, body);
  },
});
