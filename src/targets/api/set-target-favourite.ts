import { setFavouriteOf } from '../../contents/sorted-object.ts';
import { sortedTarget } from '../target-store.ts';

export const setTargetFavourite = setFavouriteOf(sortedTarget);
