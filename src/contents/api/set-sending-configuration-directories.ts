import { sortedConfiguration } from '../sending-configuration-store.ts';
import { setDirectoriesOf } from '../sorted-object.ts';

export const setSendingConfigurationDirectories = setDirectoriesOf(
  sortedConfiguration,
  '`listSendingConfigurations`',
);
