import { siteOperation } from '../../platform/http/operation.ts';
import { Bool, Id, Params } from '../../platform/http/schema.ts';
import { setArchived } from '../target-store.ts';

export const archiveTarget = siteOperation({
  id: 'archiveTarget',
  method: 'POST',
  path: '/targets/{idTarget}/archive',
  right: 'write',
  tag: 'Targets',
  summary: 'Archive a target',
  description: 'Lists omit an archived target. Campaigns that use it, and calls with its id, still work.',
  params: Params({ idTarget: Id('target') }),
  reply: Bool(),
  async handle({ db, params }) {
    await setArchived(db, params.idTarget, true);
    return true;
  },
});
