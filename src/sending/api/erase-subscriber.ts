import { againAfterDeadlock } from '../../platform/db/database.ts';
import { siteAction } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { erasePerson } from '../../subscribers/erasure-store.ts';
import { addEraseTraces } from '../erase-traces.ts';

export const eraseSubscriber = siteAction({
  id: 'eraseSubscriber',
  method: 'POST',
  path: '/subscribers/{idSubscriber}/erase',
  right: 'admin',
  tag: 'Subscribers',
  summary: 'Erase everything about a person',
  description:
    'Permanently, unlike deleteSubscribers. Erases the subscriber with all fields, everyone with the same address ' +
    'in the archive and, in the background, what messages, hits and bounces show of them. Figures keep their ' +
    'sums. A hash of the address stays, so that imports and createSubscribers add this person as unsubscribed; ' +
    'subscribe and resubscribe subscribe them again. Files of imports and exports, and backups, are not changed. ' +
    'Returns 503 with code `crossed` if other transactions write subscribers for more than five seconds.',
  params: Params({ idSubscriber: Id('subscriber') }),
  async handle({ db, params, now }) {
    await againAfterDeadlock(() =>
      db.transaction(async (tx) => {
        await addEraseTraces(tx, await erasePerson(tx, params.idSubscriber), now);
      }),
    );
  },
});
