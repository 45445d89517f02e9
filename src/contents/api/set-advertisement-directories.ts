import { sortedAdvertisement } from '../advertisement-store.ts';
import { setDirectoriesOf } from '../sorted-object.ts';

export const setAdvertisementDirectories = setDirectoriesOf(sortedAdvertisement, '`listAdvertisements`');
