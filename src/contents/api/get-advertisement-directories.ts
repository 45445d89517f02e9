import { getAdvertisementById, sortedAdvertisement } from '../advertisement-store.ts';
import { getDirectoriesOf } from '../sorted-object.ts';

export const getAdvertisementDirectories = getDirectoriesOf(sortedAdvertisement, getAdvertisementById);
