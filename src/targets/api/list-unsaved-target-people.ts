import { siteOperation } from '../../platform/http/operation.ts';
import { Closed, Query, Type } from '../../platform/http/schema.ts';
import { PageOfPeople, Person, usualPeople } from '../../subscribers/person.ts';
import { prepareSearch } from '../../subscribers/search-store.ts';
import { filtersMegabytes } from '../given-filters.ts';
import { peopleOfSet } from '../subscriber-page.ts';
import { AmongLowest, readUnsaved, unsavedExample, unsavedProperties } from '../unsaved-target.ts';
import { subscribersAmong } from '../user-expression.ts';

export const listUnsavedTargetPeople = siteOperation({
  id: 'listUnsavedTargetPeople',
  method: 'POST',
  path: '/targets/people-unsaved',
  right: 'read',
  unaudited: 'read',
  tag: 'Targets',
  summary: 'List the subscribers that a target would select',
  description:
    'By id, a page at a time: the next page begins `after` the last id of this one. There are as many as the `count` ' +
    'of countUnsavedTarget. For the subscribers that are left after one of its steps, omit what follows the step. ' +
    'Saves nothing. Every page evaluates the filters again, for up to 30 seconds (503), and a target that selects at ' +
    'random selects again.',
  query: Query(PageOfPeople),
  body: Closed('UnsavedTargetOfPeople', { ...unsavedProperties, among: AmongLowest('List people') }),
  bodyMegabytes: filtersMegabytes,
  example: unsavedExample,
  reply: Type.Array(Person),
  refusals: [404, 409, 422, 503],
  async handle({ app, db, body: { among: lowest, ...given }, query, now, signal }) {
    const among = lowest ?? undefined;
    const { search, after = 0, limit = usualPeople } = query;
    await prepareSearch(db, search);
    return readUnsaved({ app, db, at: now, signal, among, given }, (tx, steps) => {
      const set = steps.queryAmong(subscribersAmong(tx.t.subscriber, among));
      return peopleOfSet(tx, { set, search, after, most: limit });
    });
  },
});
