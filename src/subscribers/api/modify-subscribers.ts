import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import { Nullable, Type } from '../../platform/http/schema.ts';
import { modifyAll } from '../modification.ts';
import { maxPerCall, Subscriber, SubscriberChange } from '../subscriber.ts';

export const modifySubscribers = siteOperation({
  id: 'modifySubscribers',
  method: 'PUT',
  path: '/subscribers',
  right: 'write',
  tag: 'Subscribers',
  summary: 'Modify subscribers',
  description:
    'All of them or, when one cannot be modified, none. Null in place of an unknown id. Subscribers can be sent back ' +
    'as they were read: a value that cannot be written is accepted as long as it does not change.',
  body: Type.Array(SubscriberChange, { maxItems: maxPerCall }),
  bodyMegabytes: largeBodyMegabytes,
  example: [{ id: 1, fields: [{ idField: 40, value: '69001' }] }],
  reply: Type.Array(Nullable(Subscriber)),
  refusals: [409, 413],
  handle: ({ db, body, now }) => modifyAll(db, body, now),
});
