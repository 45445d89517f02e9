import { listFields } from '../../fields/field-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Nullable, Type } from '../../platform/http/schema.ts';
import { findArchived } from '../archive-store.ts';
import { Lookup, readLookup, showFound } from '../lookup.ts';
import { chooseFields, Subscriber } from '../subscriber.ts';

export const getArchivedSubscribers = siteOperation({
  id: 'getArchivedSubscribers',
  method: 'GET',
  path: '/subscribers/archived',
  right: 'read',
  tag: 'Subscribers',
  summary: 'Get deleted subscribers, as getSubscribers does',
  description: 'If an address was deleted several times, returns the latest subscriber.',
  query: Lookup,
  reply: Type.Array(Nullable(Subscriber)),
  refusals: [413],
  async handle({ db, query }) {
    const wanted = readLookup(query);
    const shown = chooseFields(await listFields(db), query['filter.idFields']);
    return showFound(query, await findArchived(db, wanted, shown), shown);
  },
});
