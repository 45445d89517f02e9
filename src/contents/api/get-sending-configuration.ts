import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { SendingConfigurationReply, showConfiguration } from '../sending-configuration.ts';
import { configurations, versionOfConfiguration } from '../sending-configuration-store.ts';

export const getSendingConfiguration = siteOperation({
  id: 'getSendingConfiguration',
  method: 'GET',
  path: '/sending-configurations/{idConfig}',
  right: 'read',
  tag: 'Sending configurations',
  summary: 'Get a sending configuration',
  description: 'Archived configurations are returned too.',
  params: Params({ idConfig: Id('configuration') }),
  versionOf: (db, { params }, isLocked) => versionOfConfiguration(db, params.idConfig, isLocked),
  reply: SendingConfigurationReply,
  handle: async ({ db, params }) => showConfiguration(await configurations.get(db, params.idConfig)),
});
