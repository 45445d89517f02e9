import { siteOperation } from '../../platform/http/operation.ts';
import { Bool, Closed, Count } from '../../platform/http/schema.ts';
import { countRows, exactUpTo } from '../count-store.ts';

export const countSubscribers = siteOperation({
  id: 'countSubscribers',
  method: 'GET',
  path: '/subscribers/count',
  right: 'read',
  tag: 'Subscribers',
  summary: 'Count the subscribers of the site',
  description:
    `Subscribed or not; the archive does not count. Exact up to ${exactUpTo} subscribers. Above, it is the estimate ` +
    'of the database, usually within a few percent, which takes the same time for every number of subscribers. An ' +
    'export or a target counts exactly.',
  reply: Closed('SubscriberCount', {
    count: Count(),
    isEstimate: Bool('Whether the count is an estimate'),
  }),
  handle: ({ db }) => countRows(db),
});
