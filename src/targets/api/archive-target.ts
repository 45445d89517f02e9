import { siteAction } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { setArchived } from '../target-store.ts';

export const archiveTarget = siteAction({
  id: 'archiveTarget',
  method: 'POST',
  path: '/targets/{idTarget}/archive',
  right: 'write',
  tag: 'Targets',
  summary: 'Archive a target',
  description: 'Lists omit an archived target. Campaigns that use it, and calls with its id, still work.',
  params: Params({ idTarget: Id('target') }),
  handle: ({ db, params }) => setArchived(db, params.idTarget, true),
});
