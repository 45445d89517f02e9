import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import { Bool, Closed, IdOf, Int32, Maybe, OneOf, Reference, Type } from '../../platform/http/schema.ts';
import { maxPerCall } from '../../subscribers/subscriber.ts';
import { unsubscribeAll } from '../api-unsubscription.ts';

const Unsubscription = Closed('Unsubscription', {
  idSubscriber: IdOf('subscriber', Int32()),
  from: Maybe(OneOf(['Newsletter', 'PartnerOffers', 'SpecificNewsletter'])),
  // Ids of fields begin at 0, which is a system field, so 0 does not mean none here.
  idSubscriptionField: Maybe(
    IdOf('field', Int32('Required with SpecificNewsletter: the custom field that is set to 1')),
  ),
  idUnsubDateField: Maybe(
    IdOf(
      'field',
      Int32('Required with SpecificNewsletter: the custom field of type Date that is set to now'),
    ),
  ),
  idSent: Reference('sent', 'The sending that the unsubscription counts for'),
  unsubOnlySubscribers: Maybe(Bool()),
});

export const unsubscribe = siteOperation({
  id: 'unsubscribe',
  method: 'POST',
  path: '/subscribers/unsubscribe',
  right: 'write',
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
  handle: ({ db, body, now }) => unsubscribeAll(db, body, now),
});
