import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params, Type } from '../../platform/http/schema.ts';
import { Directory } from '../directory.ts';
import { directoriesOf } from '../object-directory-store.ts';
import { getConfiguration } from '../sending-configuration-store.ts';

export const getSendingConfigurationDirectories = siteOperation({
  id: 'getSendingConfigurationDirectories',
  method: 'GET',
  path: '/sending-configurations/{idConfig}/directories',
  right: 'read',
  tag: 'Tags',
  summary: 'Get the directories (tags) of a sending configuration',
  params: Params({ idConfig: Id('configuration') }),
  reply: Type.Array(Directory),
  async handle({ db, params }) {
    await getConfiguration(db, params.idConfig);
    return directoriesOf(db, 'sending_configuration', params.idConfig);
  },
});
