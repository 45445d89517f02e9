import { holdFields } from '../../fields/field-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { IdOf, Int32, Nullable, Query, Type } from '../../platform/http/schema.ts';
import { archiveSubscribers } from '../archive-store.ts';
import { maxPerCall } from '../subscriber.ts';

const Ids = Type.Array(IdOf('subscriber', Int32()), { maxItems: maxPerCall });

export const deleteSubscribers = siteOperation({
  id: 'deleteSubscribers',
  method: 'DELETE',
  path: '/subscribers',
  right: 'write',
  unaudited: 'bulk',
  tag: 'Subscribers',
  summary: 'Delete subscribers: move them to the archive',
  description:
    'Send the ids in the query or, because 5,000 of them are too long for a URL, as an array in the body. ' +
    'Returns the deleted ids. A call that names every subscriber of the site deletes none.',
  query: Query({ idSubscribers: Type.Optional(Ids) }),
  body: Nullable(Ids),
  reply: Type.Array(Int32()),
  async handle({ db, query, body, now }) {
    const ids = query.idSubscribers ?? body;
    if (!ids) throw invalid('idSubscribers: is required, in the query or as an array in the body');
    if (query.idSubscribers && body)
      throw invalid('idSubscribers: must be in the query or in the body, not in both');
    return db.transaction(async (tx) => archiveSubscribers(tx, ids, await holdFields(tx), now));
  },
});
