import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import { Nullable, Type } from '../../platform/http/schema.ts';
import { createAll } from '../creation.ts';
import { sourceOf } from '../field-change.ts';
import { NewSubscriber, Subscriber } from '../subscriber.ts';

export const createSubscribers = siteOperation({
  id: 'createSubscribers',
  method: 'POST',
  path: '/subscribers',
  right: 'write',
  unaudited: 'bulk',
  tag: 'Subscribers',
  summary: 'Create subscribers, or update those given with an id',
  description:
    'Elements are processed in order, up to the first that fails. The response is then an error that names the ' +
    'position, and its data holds the results of the elements before it, even if the database failed (503). If the ' +
    'connection to the database broke, check whether the named element was stored. Null for an unknown id; 0 means ' +
    'none. A response has at most a million values, so a site with more than 20 fields accepts fewer elements per ' +
    'call, but always 5,000.',
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
  handle: ({ db, body, now, caller }) => createAll(db, body, { at: now, by: sourceOf(caller) }),
});
