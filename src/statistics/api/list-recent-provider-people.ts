import { Temporal } from 'temporal-polyfill';
import { siteOperation } from '../../platform/http/operation.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Closed, Count, Nullable, OneOf, Query, Type } from '../../platform/http/schema.ts';
import { startOfParisDay } from '../../platform/paris-time.ts';
import { PageOfPeople, usualPeople } from '../../subscribers/person.ts';
import { textSearch } from '../../subscribers/search-store.ts';
import { firstDayOf, PeriodDays } from '../growth.ts';
import { PeoplePlace, RecentPerson } from '../people.ts';
import { providerFigures, providerPeople } from '../provider-people.ts';

export const listRecentProviderPeople = siteOperation({
  id: 'listRecentProviderPeople',
  method: 'GET',
  path: '/statistics/recent-providers/people',
  right: 'read',
  tag: 'Statistics',
  summary: 'List the recipients behind a recent provider figure',
  description:
    'The recipients that listRecentProviderStatistics counts for some providers together: the newest sending first, ' +
    'within a sending by id. A person is listed once for each sending. Like the figures, it misses the last minute. ' +
    'A page can be shorter than `limit` although others follow: `next` says where the next page begins, and is null ' +
    'on the last one.',
  query: Query({
    nbDays: PeriodDays,
    figure: OneOf(providerFigures, 'The figure, as listRecentProviderStatistics names it'),
    idsFai: Type.Array(Count(), {
      minItems: 1,
      maxItems: 1000,
      description: 'The providers, as listRecentProviderStatistics names them',
    }),
    sending: Type.Optional(Count('`next.sending` of the page before. Default: 0, the first page')),
    after: Type.Optional(Count('`next.after` of the page before. Default: 0')),
    search: PageOfPeople.search,
    limit: PageOfPeople.limit,
  }),
  reply: Closed('RecentProviderPeople', {
    people: Type.Array(RecentPerson),
    next: Nullable(PeoplePlace),
  }),
  handle({ db, now, query, signal }) {
    const { nbDays, figure, idsFai, sending = 0, after = 0, limit = usualPeople } = query;
    if (after > 0 && sending === 0) throw invalid('after: give the sending that it belongs to');
    const since = startOfParisDay(Temporal.PlainDate.from(firstDayOf(now, nbDays)));
    const from = sending > 0 ? { sending, after } : undefined;
    const search = textSearch(db, query.search, signal);
    return providerPeople(db, { figure, idsProvider: idsFai, since, search, from, most: limit });
  },
});
