import { setFavouriteOf } from '../../contents/sorted-object.ts';
import { sortedCampaign } from '../campaign-store.ts';

export const setCampaignFavourite = setFavouriteOf(sortedCampaign);
