import { advertisements, sortedAdvertisement } from '../advertisement-store.ts';
import { getDirectoriesOf } from '../sorted-object.ts';

export const getAdvertisementDirectories = getDirectoriesOf(sortedAdvertisement, (db, id) =>
  advertisements.get(db, id),
);
