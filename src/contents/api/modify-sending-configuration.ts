import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import {
  changeConfiguration,
  SendingConfigurationChange,
  SendingConfigurationReply,
  showConfiguration,
} from '../sending-configuration.ts';
import { updateConfiguration, versionOfConfiguration } from '../sending-configuration-store.ts';

export const modifySendingConfiguration = siteOperation({
  id: 'modifySendingConfiguration',
  method: 'PUT',
  path: '/sending-configurations',
  right: 'write',
  tag: 'Sending configurations',
  summary: 'Modify a sending configuration',
  description:
    'Send only the properties to change; omitted and null ones keep their values, except that a null ' +
    'deleteEmailsAfter keeps messages forever. Jobs that are already generated do not change.',
  body: SendingConfigurationChange,
  bodyMegabytes: largeBodyMegabytes,
  example: { id: 1, senderAlias: 'The shop' },
  versionOf: (db, { body }, isLocked) => versionOfConfiguration(db, body.id, isLocked),
  reply: SendingConfigurationReply,
  refusals: [404],
  handle: async ({ db, body, now }) =>
    showConfiguration(
      await updateConfiguration(db, body.id, (before) => changeConfiguration(before, body), now),
    ),
});
