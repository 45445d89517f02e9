import { siteOperation } from '../../platform/http/operation.ts';
import { Count } from '../../platform/http/schema.ts';
import { eligibleCount } from '../growth-store.ts';

export const countEligible = siteOperation({
  id: 'countEligible',
  method: 'GET',
  path: '/subscribers/eligible/count',
  right: 'read',
  tag: 'Subscribers',
  summary: 'Count the eligible subscribers',
  description:
    'Subscribers who can receive mail: subscribed, and neither hard-bounced nor complained. The number is the sum of ' +
    'the growth, so the response takes the same time whatever the number of subscribers.',
  reply: Count(),
  handle: ({ db }) => eligibleCount(db),
});
