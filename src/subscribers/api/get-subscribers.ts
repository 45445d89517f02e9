import { withFieldSet } from '../../fields/field-set.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Nullable, Type } from '../../platform/http/schema.ts';
import { Lookup, readLookup, showFound } from '../lookup.ts';
import { chooseFields, Subscriber } from '../subscriber.ts';
import { findSubscribers } from '../subscriber-store.ts';

export const getSubscribers = siteOperation({
  id: 'getSubscribers',
  method: 'GET',
  path: '/subscribers',
  right: 'read',
  tag: 'Subscribers',
  summary: 'Get subscribers by email, hash of the email, id or client id',
  description: 'One result for each value, in the order of the values; null where no one is found.',
  query: Lookup,
  reply: Type.Array(Nullable(Subscriber)),
  refusals: [409, 413],
  async handle({ db, query }) {
    const wanted = readLookup(query);
    return withFieldSet(db, async (set) => {
      const shown = chooseFields(set.fields, query['filter.idFields']);
      const found = await findSubscribers(db, wanted, set, shown);
      return found && showFound(query, found, shown);
    });
  },
});
