import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import {
  makeConfiguration,
  NewSendingConfiguration,
  SendingConfigurationReply,
  showConfiguration,
} from '../sending-configuration.ts';
import { insertConfiguration } from '../sending-configuration-store.ts';

export const createSendingConfiguration = siteOperation({
  id: 'createSendingConfiguration',
  method: 'POST',
  path: '/sending-configurations',
  right: 'write',
  tag: 'Sending configurations',
  summary: 'Create a sending configuration',
  description:
    'Aliases, headers and footers may contain tags; the campaign checklist names those that cannot be filled.',
  body: NewSendingConfiguration,
  bodyMegabytes: largeBodyMegabytes,
  example: {
    name: 'Shop',
    senderEMail: 'news@shop.example',
    senderAlias: 'The shop',
    responseEMail: 'reply@shop.example',
    footerHtml: '<p><a href="[[LINK.UNSUB]]">Unsubscribe</a></p>',
    footerTxt: 'Unsubscribe: [[LINK.UNSUB]]',
    objectPrefixBAT: '[Test] ',
  },
  reply: SendingConfigurationReply,
  handle: async ({ db, body, caller, now }) =>
    showConfiguration(await insertConfiguration(db, makeConfiguration(body), caller, now)),
});
