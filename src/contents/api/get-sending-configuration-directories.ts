import { getConfiguration, sortedConfiguration } from '../sending-configuration-store.ts';
import { getDirectoriesOf } from '../sorted-object.ts';

export const getSendingConfigurationDirectories = getDirectoriesOf(sortedConfiguration, getConfiguration);
