import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import {
  Bool,
  Closed,
  IdOf,
  Int32,
  Line,
  Maybe,
  OneOf,
  Timestamp,
  Type,
} from '../../platform/http/schema.ts';
import { sourceOf } from '../field-change.ts';
import { maxPerCall } from '../subscriber.ts';
import { subscribeAll } from '../subscription.ts';

const Subscription = Closed('Subscription', {
  idSubscriber: IdOf('subscriber', Int32()),
  firstOrigin: Type.String({ ...Line(255), minLength: 1 }),
  date: Maybe(Timestamp()),
  collectMode: Maybe(OneOf(['ACHAT', 'ECHANGE', 'NATUREL', 'AUTRE'])),
  collectType: Maybe(OneOf(['SITE', 'JEU', 'COREGISTRATION', 'VIRAL', 'FORM_EXT', 'AUTRE'])),
  subscribeToPartnersOffers: Maybe(Bool()),
});

export const subscribe = siteOperation({
  id: 'subscribe',
  method: 'POST',
  path: '/subscribers/subscribe',
  right: 'write',
  unaudited: 'bulk',
  tag: 'Subscribers',
  summary: 'Subscribe new people',
  description:
    'Returns false for an unknown id. Default of `date`: now. Omitted collectMode and collectType keep their values.',
  body: Type.Array(Subscription, { maxItems: maxPerCall }),
  bodyMegabytes: largeBodyMegabytes,
  example: [{ idSubscriber: 1, firstOrigin: 'Shop', collectMode: 'NATUREL', collectType: 'SITE' }],
  reply: Type.Array(Bool()),
  handle: ({ db, body, now, caller }) =>
    subscribeAll(db, body, 'firstOrigin', { at: now, by: sourceOf(caller) }),
});
