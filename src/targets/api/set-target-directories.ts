import { DirectoryIds } from '../../contents/directory.ts';
import { setDirectories } from '../../contents/object-directory-store.ts';
import { siteAction } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { lockTarget } from '../target-store.ts';

export const setTargetDirectories = siteAction({
  id: 'setTargetDirectories',
  method: 'PUT',
  path: '/targets/{idTarget}/directories',
  right: 'write',
  tag: 'Tags',
  summary: 'Set the directories (tags) of a target',
  description:
    'The body is the ids of all its directories, of the type Filter or Unknown. They replace its current ones; an ' +
    'empty list removes all. `listTargets` returns their names and can list by directory.',
  params: Params({ idTarget: Id('target') }),
  body: DirectoryIds,
  refusals: [422],
  handle: ({ db, params, body }) =>
    db.transaction(async (tx) => {
      await lockTarget(tx, params.idTarget);
      await setDirectories(tx, 'target', params.idTarget, body);
    }),
});
