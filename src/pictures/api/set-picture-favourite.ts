import { setFavouriteOf } from '../../contents/sorted-object.ts';
import { sortedPicture } from '../picture-store.ts';

export const setPictureFavourite = setFavouriteOf(sortedPicture);
