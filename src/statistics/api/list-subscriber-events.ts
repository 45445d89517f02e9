import { siteOperation } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Closed, Id, Line, Nullable, Params, Query, Type } from '../../platform/http/schema.ts';
import { isKnownSubscriber } from '../../subscribers/subscriber-store.ts';
import { SubscriberEvent, subscriberHistory } from '../subscriber-history.ts';

const usual = 50;
const most = 500;

export const listSubscriberEvents = siteOperation({
  id: 'listSubscriberEvents',
  method: 'GET',
  path: '/subscribers/{idSubscriber}/events',
  right: 'read',
  tag: 'Subscribers',
  summary: 'List what happened to a subscriber',
  description:
    'Messages with their final state and the reply of the relay, opens, clicks, bounces, complaints and ' +
    'unsubscriptions of sendings, newest first. `next` begins the next page. A message appears when its part of the ' +
    'sending is complete. For changes of fields, see listSubscriberChanges. Deleted subscribers keep these events ' +
    'while they are archived.',
  params: Params({ idSubscriber: Id('subscriber') }),
  query: Query({
    before: Type.Optional(Line(100, 'The `next` of the previous page. Default: from the newest event')),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: most, description: `Maximum number of events. Default: ${usual}` }),
    ),
  }),
  reply: Closed('SubscriberHistory', {
    events: Type.Array(SubscriberEvent),
    next: Nullable(Line(100, 'The beginning of the next page; null on the last one')),
  }),
  async handle({ db, params: { idSubscriber }, query: { before, limit = usual } }) {
    if (!(await isKnownSubscriber(db, idSubscriber))) throw notFound('Subscriber');
    return subscriberHistory(db, { idSubscriber, before, limit });
  },
});
