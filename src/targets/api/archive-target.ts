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
  description:
    'An archived target is left out of the lists; whatever uses it, or calls it by its id, goes on working.',
  params: Params({ idTarget: Id() }),
  reply: Bool(),
  async handle({ db, params }) {
    await setArchived(db, params.idTarget, true);
    return true;
  },
});
