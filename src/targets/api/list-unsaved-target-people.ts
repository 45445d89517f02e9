import { siteOperation } from '../../platform/http/operation.ts';
import { Closed, Query, Type } from '../../platform/http/schema.ts';
import { PageOfPeople, Person, usualPeople } from '../../subscribers/person.ts';
import { filtersMegabytes } from '../given-filters.ts';
import { peopleOfSet } from '../subscriber-page.ts';
import { readUnsaved, unsavedExample, unsavedProperties } from '../unsaved-target.ts';

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
  body: Closed('UnsavedTargetOfPeople', unsavedProperties),
  bodyMegabytes: filtersMegabytes,
  example: unsavedExample,
  reply: Type.Array(Person),
  refusals: [404, 409, 422, 503],
  async handle({ app, db, body: given, query: { after = 0, limit = usualPeople }, now, signal }) {
    return readUnsaved({ app, db, at: now, signal, given }, (tx, { query }) =>
      peopleOfSet(tx, { set: query, after, most: limit }),
    );
  },
});
