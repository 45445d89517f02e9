import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import { Bool, Closed, IdOf, Int32, Line, Maybe, Timestamp, Type } from '../../platform/http/schema.ts';
import { sourceOf } from '../field-change.ts';
import { maxPerCall } from '../subscriber.ts';
import { subscribeAll } from '../subscription.ts';

const Resubscription = Closed('Resubscription', {
  idSubscriber: IdOf('subscriber', Int32()),
  lastOrigin: Type.String({ ...Line(255), minLength: 1 }),
  date: Maybe(Timestamp()),
  subscribeToPartnersOffers: Maybe(Bool()),
});

export const resubscribe = siteOperation({
  id: 'resubscribe',
  method: 'POST',
  path: '/subscribers/resubscribe',
  right: 'write',
  tag: 'Subscribers',
  summary: 'Subscribe known people again',
  description:
    'The first subscription date and origin stay. Returns false for an unknown id. Default of `date`: now.',
  body: Type.Array(Resubscription, { maxItems: maxPerCall }),
  bodyMegabytes: largeBodyMegabytes,
  example: [{ idSubscriber: 1, lastOrigin: 'Shop', subscribeToPartnersOffers: false }],
  reply: Type.Array(Bool()),
  handle: ({ db, body, now, caller }) =>
    subscribeAll(db, body, 'lastOrigin', { at: now, by: sourceOf(caller) }),
});
