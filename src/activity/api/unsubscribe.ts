import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import { Bool, Type } from '../../platform/http/schema.ts';
import { sourceOf } from '../../subscribers/field-change.ts';
import { maxPerCall } from '../../subscribers/subscriber.ts';
import { Unsubscription, unsubscribeAll } from '../api-unsubscription.ts';

export const unsubscribe = siteOperation({
  id: 'unsubscribe',
  method: 'POST',
  path: '/subscribers/unsubscribe',
  right: 'write',
  unaudited: 'bulk',
  tag: 'Subscribers',
  summary: 'Unsubscribe subscribers',
  description:
    '`from` is Newsletter by default. With `idSent` (the tag [[CONF.7]]) the unsubscription counts for that sending, ' +
    'once per subscriber. The reply is false for an unknown id and, with `unsubOnlySubscribers`, for a ' +
    'subscriber who is not subscribed.',
  body: Type.Array(Unsubscription, { maxItems: maxPerCall }),
  bodyMegabytes: largeBodyMegabytes,
  example: [{ idSubscriber: 1, from: 'Newsletter', unsubOnlySubscribers: true }],
  reply: Type.Array(Bool()),
  refusals: [404],
  handle: ({ db, body, now, caller }) => unsubscribeAll(db, body, { at: now, by: sourceOf(caller) }),
});
