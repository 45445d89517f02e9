import { siteOperation } from '../../platform/http/operation.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Closed, Count, Nullable, OneOf, Query, Type } from '../../platform/http/schema.ts';
import { PageOfPeople, usualPeople } from '../../subscribers/person.ts';
import { textSearch } from '../../subscribers/search-store.ts';
import { PeriodDays } from '../growth.ts';
import { PeoplePlace, periodFigures, RecentPerson, recentPeopleBehind } from '../people.ts';

const dayMs = 86_400_000;

export const listRecentPeople = siteOperation({
  id: 'listRecentPeople',
  method: 'GET',
  path: '/statistics/recent-people',
  right: 'read',
  tag: 'Statistics',
  summary: 'List the recipients behind a figure of recent days',
  description:
    'The recipients that the figure counts in the sendings of real jobs that started in the last `nbDays` days of 24 ' +
    'hours: the newest sending first, within a sending by id. A person is listed once for each sending. A page can ' +
    'be shorter than `limit` although others follow: `next` says where the next page begins, and ' +
    'is null on the last one.',
  query: Query({
    nbDays: PeriodDays,
    figure: OneOf(
      periodFigures,
      'The figure, as getSendingStatistics names it, or nbRefused, nbReturned as listStatisticsPeople does',
    ),
    sending: Type.Optional(Count('`next.sending` of the page before. Default: 0, the first page')),
    after: Type.Optional(Count('`next.after` of the page before. Default: 0')),
    search: PageOfPeople.search,
    limit: PageOfPeople.limit,
  }),
  reply: Closed('RecentPeople', {
    people: Type.Array(RecentPerson),
    next: Nullable(PeoplePlace),
  }),
  handle({ db, now, query, signal }) {
    const { nbDays, figure, sending = 0, after = 0, limit = usualPeople } = query;
    if (after > 0 && sending === 0) throw invalid('after: give the sending that it belongs to');
    const since = new Date(now.getTime() - nbDays * dayMs);
    const from = sending > 0 ? { sending, after } : undefined;
    const search = textSearch(db, query.search, signal);
    return recentPeopleBehind(db, { figure, most: limit, search, since, from });
  },
});
