import { configurations, sortedConfiguration } from '../sending-configuration-store.ts';
import { getDirectoriesOf } from '../sorted-object.ts';

export const getSendingConfigurationDirectories = getDirectoriesOf(sortedConfiguration, (db, id) =>
  configurations.get(db, id),
);
