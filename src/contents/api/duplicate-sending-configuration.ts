import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { copyName } from '../copy-name.ts';
import { SendingConfigurationReply, showConfiguration } from '../sending-configuration.ts';
import { configurations, insertConfiguration } from '../sending-configuration-store.ts';

export const duplicateSendingConfiguration = siteOperation({
  id: 'duplicateSendingConfiguration',
  method: 'POST',
  path: '/sending-configurations/{idConfig}/duplicate',
  right: 'write',
  tag: 'Sending configurations',
  summary: 'Duplicate a sending configuration',
  description: 'The copy belongs to the caller, is named after the original, and is not archived.',
  params: Params({ idConfig: Id('configuration') }),
  reply: SendingConfigurationReply,
  async handle({ db, params, caller, now }) {
    const original = await configurations.get(db, params.idConfig);
    const copy = { ...original, name: copyName(original.name), isArchive: false };
    return showConfiguration(await insertConfiguration(db, copy, caller, now));
  },
});
