import { siteOperation } from '../../platform/http/operation.ts';
import { OneOf, Params, Type } from '../../platform/http/schema.ts';
import { Directory, directoryTypes } from '../directory.ts';
import { listDirectories } from '../directory-store.ts';

export const listDirectoriesByType = siteOperation({
  id: 'listDirectoriesByType',
  method: 'GET',
  path: '/directories/types/{idType}',
  right: 'read',
  tag: 'Tags',
  summary: 'List the directories of a type',
  description: 'Unknown lists the directories of every type.',
  deprecated: true,
  params: Params({ idType: OneOf(directoryTypes) }),
  reply: Type.Array(Directory),
  answersUnknown: true,
  handle: ({ db, params }) => listDirectories(db, params.idType === 'Unknown' ? undefined : params.idType),
});
