import { holdFields } from '../../fields/field-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Closed, Id, Line, Nullable, Params, Query, Type } from '../../platform/http/schema.ts';
import { KeptChange, keptCharacters, showChange } from '../field-change.ts';
import { changesOf } from '../field-change-store.ts';
import { byId } from '../subscriber.ts';
import { isKnownSubscriber } from '../subscriber-store.ts';

const most = 50;

export const listSubscriberChanges = siteOperation({
  id: 'listSubscriberChanges',
  method: 'GET',
  path: '/subscribers/{idSubscriber}/changes',
  right: 'read',
  tag: 'Subscribers',
  summary: "List changes of a subscriber's fields",
  description:
    'Values before and after, newest first, with their cause: an import or a user of the console. `next` begins the ' +
    `next page. Texts are cut to ${keptCharacters} characters. Only values that differ are listed. ` +
    'An import records the changes of its first 100,000 changed subscribers only. Changes are kept for ' +
    '400 days, and at most the newest 5,000,000 of a site; those of deleted and erased subscribers are deleted with ' +
    'them. Not listed: what programs change with an API token, values at creation, and what listSubscriberEvents ' +
    'lists (unsubscriptions by a message, bounces and complaints).',
  params: Params({ idSubscriber: Id('subscriber') }),
  query: Query({
    before: Type.Optional(Line(100, 'The `next` of the previous page. Default: from the newest change')),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: most, description: `Maximum number of changes. Default: ${most}` }),
    ),
  }),
  reply: Closed('KeptChanges', {
    changes: Type.Array(KeptChange),
    next: Nullable(Line(100, 'The beginning of the next page; null on the last one')),
  }),
  async handle({ db, params: { idSubscriber }, query: { before, limit = most } }) {
    if (!(await isKnownSubscriber(db, idSubscriber))) throw notFound('Subscriber');
    return db.transaction(async (tx) => {
      const fields = byId(await holdFields(tx));
      const { rows, next } = await changesOf(tx, { idSubscriber, before, limit });
      return { changes: rows.map((row) => showChange(row, fields)), next };
    });
  },
});
