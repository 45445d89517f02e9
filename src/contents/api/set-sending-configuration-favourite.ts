import { sortedConfiguration } from '../sending-configuration-store.ts';
import { setFavouriteOf } from '../sorted-object.ts';

export const setSendingConfigurationFavourite = setFavouriteOf(sortedConfiguration);
