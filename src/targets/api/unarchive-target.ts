import { siteOperation } from '../../platform/http/operation.ts';
import { Bool, Id, Params } from '../../platform/http/schema.ts';
import { setArchived } from '../target-store.ts';

export const unarchiveTarget = siteOperation({
  id: 'unarchiveTarget',
  method: 'POST',
  path: '/targets/{idTarget}/unarchive',
  right: 'write',
  tag: 'Targets',
  summary: 'Unarchive a target',
  description: 'Shows the target in the lists again.',
  params: Params({ idTarget: Id('target') }),
  reply: Bool(),
  async handle({ db, params }) {
    await setArchived(db, params.idTarget, false);
    return true;
  },
});
