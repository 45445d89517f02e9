import { siteOperation } from '../../platform/http/operation.ts';
import { Bool, Closed, Count } from '../../platform/http/schema.ts';
import { countRows, exactUpTo } from '../count-store.ts';
import { eligibleCount } from '../growth-store.ts';

export const countSubscribers = siteOperation({
  id: 'countSubscribers',
  method: 'GET',
  path: '/subscribers/count',
  right: 'read',
  tag: 'Subscribers',
  summary: 'Count the subscribers of the site',
  description:
    '`count` has all, subscribed or not, without the archive. ' +
    `It is exact up to ${exactUpTo} subscribers. Above, it is the estimate of the database, usually within a few ` +
    'percent; an export or a target counts exactly. ' +
    '`nbEligible` has those who can receive mail: subscribed, and neither hard-bounced nor complained. It is exact, ' +
    'being the sum of the growth. The response takes the same time for every number of subscribers.',
  reply: Closed('SubscriberCount', {
    count: Count(),
    isEstimate: Bool('Whether `count` is an estimate'),
    nbEligible: Count(),
  }),
  handle: async ({ db }) => ({ ...(await countRows(db)), nbEligible: await eligibleCount(db) }),
});
