import { siteAction } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { setArchived } from '../target-store.ts';

export const unarchiveTarget = siteAction({
  id: 'unarchiveTarget',
  method: 'POST',
  path: '/targets/{idTarget}/unarchive',
  right: 'write',
  tag: 'Targets',
  summary: 'Unarchive a target',
  description: 'Shows the target in the lists again.',
  params: Params({ idTarget: Id('target') }),
  handle: ({ db, params }) => setArchived(db, params.idTarget, false),
});
