import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import { Nullable, Type } from '../../platform/http/schema.ts';
import { createAll } from '../creation.ts';
import { NewSubscriber, Subscriber } from '../subscriber.ts';

export const createSubscribers = siteOperation({
  id: 'createSubscribers',
  method: 'POST',
  path: '/subscribers',
  right: 'write',
  tag: 'Subscribers',
  summary: 'Create subscribers, or update those given with an id',
  description:
    'Elements are taken in order. At the first one that fails processing stops: the answer is then a failure that ' +
    'names the position, and its data holds the results of the elements before it, also where the database is to ' +
    'blame (503); where the connection to it broke, look up first whether the element named is done. Null for an ' +
    'unknown id; 0 is none. The answer holds a million values: of a site with more than 20 fields fewer elements ' +
    'can be sent at a time, but always 5,000.',
  body: Type.Array(NewSubscriber, { maxItems: 50_000 }),
  bodyMegabytes: largeBodyMegabytes,
  example: [
    { fields: [{ idField: 1, value: 'ada@example.com' }] },
    {
      fields: [
        { idField: 1, value: 'grace@example.com' },
        { idField: 5, value: 'Shop' },
        { idField: 40, value: '75011' },
      ],
    },
  ],
  reply: Type.Array(Nullable(Subscriber)),
  refusals: [409, 413, 503],
  handle: ({ db, body, now }) => createAll(db, body, now),
});
