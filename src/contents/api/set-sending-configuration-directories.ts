import { siteAction } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { DirectoryIds } from '../directory.ts';
import { setDirectories } from '../object-directory-store.ts';
import { lockConfiguration } from '../sending-configuration-store.ts';

export const setSendingConfigurationDirectories = siteAction({
  id: 'setSendingConfigurationDirectories',
  method: 'PUT',
  path: '/sending-configurations/{idConfig}/directories',
  right: 'write',
  tag: 'Tags',
  summary: 'Set the directories (tags) of a sending configuration',
  description:
    'The body is the ids of all its directories, of the type Config or Unknown. They replace its current ones; an ' +
    'empty list removes all. `listSendingConfigurations` can list by directory.',
  params: Params({ idConfig: Id('configuration') }),
  body: DirectoryIds,
  refusals: [422],
  handle: ({ db, params, body }) =>
    db.transaction(async (tx) => {
      await lockConfiguration(tx, params.idConfig);
      await setDirectories(tx, 'sending_configuration', params.idConfig, body);
    }),
});
