import { Directory } from '../../contents/directory.ts';
import { directoriesOf } from '../../contents/object-directory-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Params, Type } from '../../platform/http/schema.ts';
import { getTargetOrRefuse } from '../target-store.ts';

export const getTargetDirectories = siteOperation({
  id: 'getTargetDirectories',
  method: 'GET',
  path: '/targets/{idTarget}/directories',
  right: 'read',
  tag: 'Tags',
  summary: 'Get the directories (tags) of a target',
  params: Params({ idTarget: Id('target') }),
  reply: Type.Array(Directory),
  async handle({ db, params }) {
    await getTargetOrRefuse(db, params.idTarget);
    return directoriesOf(db, 'target', params.idTarget);
  },
});
