import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import { Nullable, Type } from '../../platform/http/schema.ts';
import { modifyAll } from '../modification.ts';
import { maxPerCall, Subscriber, SubscriberChange } from '../subscriber.ts';

export const modifySubscribers = siteOperation({
  id: 'modifySubscribers',
  method: 'PUT',
  path: '/subscribers',
  right: 'write',
  unaudited: 'bulk',
  tag: 'Subscribers',
  summary: 'Modify subscribers',
  description:
    'Modifies all subscribers, or none if one cannot be modified. Returns null for an unknown id. Subscribers can be ' +
    'sent back as they were read: a value that cannot be written is accepted if it does not change.',
  body: Type.Array(SubscriberChange, { maxItems: maxPerCall }),
  bodyMegabytes: largeBodyMegabytes,
  example: [{ id: 1, fields: [{ idField: 40, value: '69001' }] }],
  reply: Type.Array(Nullable(Subscriber)),
  refusals: [409, 413],
  handle: ({ db, body, now }) => modifyAll(db, body, now),
});
