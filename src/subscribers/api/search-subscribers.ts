import { withFieldSet } from '../../fields/field-set.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Closed, IdOf, Nullable, OneOf, Query, Type } from '../../platform/http/schema.ts';
import { SearchText } from '../person.ts';
import {
  ensureSearchIndexes,
  searchSubscribers as readPage,
  searchPage,
  searchStates,
} from '../search-store.ts';
import { chooseFields, Subscriber, showSubscriber } from '../subscriber.ts';

/** The place of a page in the results: a number that only the service understands. */
const Cursor = (description: string) => Type.Integer({ minimum: 1, maximum: 2147483647, description });

export const searchSubscribers = siteOperation({
  id: 'searchSubscribers',
  method: 'GET',
  path: '/subscribers/search',
  right: 'read',
  tag: 'Subscribers',
  summary: 'Search subscribers by part of a text',
  description:
    'Finds the subscribers that have the text anywhere in their address or in one of the first 32 text fields ' +
    '(by id), ignoring case; the newest first, 50 on a page. The first search of a site has its indexes ' +
    'built in the background. Until then, and for one or two characters, a search reads the subscribers one after ' +
    'the other.',
  query: Query({
    search: SearchText('The text to find'),
    state: Type.Optional(
      OneOf(
        searchStates,
        'eligible: subscribed, and neither hard-bounced nor complained, as nbEligible of countSubscribers. ' +
          'unsubscribed. unreachable: hard-bounced or complained, subscribed or not. Default: all',
      ),
    ),
    cursor: Type.Optional(Cursor('The nextCursor of the page before. Default: the first page')),
    'filter.idFields': Type.Optional(Type.Array(IdOf('field', Type.Integer()), { maxItems: 500 })),
  }),
  reply: Closed('FoundSubscribers', {
    subscribers: Type.Array(Subscriber),
    nextCursor: Nullable(Cursor('The cursor of the next page; null on the last one')),
  }),
  refusals: [409, 413],
  async handle({ db, query }) {
    return withFieldSet(db, async (set) => {
      const shown = chooseFields(set.fields, query['filter.idFields']);
      await ensureSearchIndexes(db, set.fields);
      const rows = await readPage(
        db,
        { search: query.search, state: query.state, before: query.cursor },
        set,
        shown,
      );
      const page = rows?.slice(0, searchPage);
      return (
        page && {
          subscribers: page.map((row) => showSubscriber(row, shown)),
          nextCursor: rows!.length > searchPage ? Number(page.at(-1)!.fld0) : null,
        }
      );
    });
  },
});
