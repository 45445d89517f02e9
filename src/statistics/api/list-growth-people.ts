import { instantOf } from '../../fields/field-value.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { invalid, notFound } from '../../platform/http/refusal.ts';
import {
  Closed,
  Count,
  IdOf,
  Line,
  Nullable,
  OneOf,
  Query,
  Timestamp,
  Type,
} from '../../platform/http/schema.ts';
import { parisDayOf } from '../../platform/paris-time.ts';
import { jobOfSent } from '../../sending/sent-store.ts';
import { PageOfPeople, usualPeople } from '../../subscribers/person.ts';
import { listedCauses } from '../growth.ts';
import { GrowthPerson, type GrowthPlace, growthFigures, growthPeople } from '../growth-people.ts';

/** The Paris day of a date-time, for example 2026-11-20. @throws 400 for a day that PostgreSQL does not know so */
function dayOf(name: string, written: string): string {
  const day = parisDayOf(new Date(written));
  if (day.year < 1 || day.year > 9999) throw invalid(`${name}: must be in the years 1 to 9999`);
  return day.toString();
}

export const listGrowthPeople = siteOperation({
  id: 'listGrowthPeople',
  method: 'GET',
  path: '/statistics/growth/people',
  right: 'read',
  tag: 'Statistics',
  summary: 'List the people who joined or left',
  description:
    'Newest first, by the dates of the profiles. A person joined at their last subscription (fields 2 and 3). They ' +
    'left at the unsubscription (field 4), hard bounce or complaint (field 45) by which they are not eligible now. ' +
    '`nbCounted` is the figure, as getGrowth counts it, and `nbListed` is the number of people on all pages. ' +
    'The list is shorter where people were deleted, changed again since, left twice by one message, or became ' +
    'eligible without a new date. It is longer where an import or a program wrote dates of its own, or subscribed ' +
    'people who were subscribed already.',
  query: Query({
    figure: OneOf(growthFigures, 'The figure, as getGrowth names it'),
    startDate: Timestamp('A moment of the first day; days are those of Paris'),
    endDate: Timestamp('A moment of the last day'),
    cause: Type.Optional(
      OneOf(listedCauses, 'Only those who left by this cause. Other causes are not in the profiles'),
    ),
    idSent: Type.Optional(IdOf('sent', Count('Only those who left by this sending; 0: by any'))),
    before: Type.Optional(Line(100, 'The `next` of the page before. Default: the first page')),
    search: PageOfPeople.search,
    limit: PageOfPeople.limit,
  }),
  reply: Closed('GrowthPeople', {
    nbCounted: Count('People who joined or left, as getGrowth counts them'),
    nbListed: Count('People on all pages; with `search`, only those found'),
    people: Type.Array(GrowthPerson),
    next: Nullable(Line(100, 'The beginning of the next page; null on the last one')),
  }),
  refusals: [404],
  async handle({ db, query }) {
    const { figure, cause, idSent = 0, search, before, limit = usualPeople } = query;
    if (idSent > 0 && !(await jobOfSent(db, idSent))) throw notFound('Sending', 'idSent');
    const [firstDay, lastDay] = [dayOf('startDate', query.startDate), dayOf('endDate', query.endDate)];
    if (firstDay > lastDay) throw invalid('endDate: must not be before startDate');
    if (figure === 'nbJoined' && (cause !== undefined || idSent > 0))
      throw invalid('cause, idSent: allowed only if figure is nbLeft');
    const anyCause = idSent > 0 ? listedCauses : undefined;
    const { next, ...page } = await growthPeople(db, {
      ...{ figure, firstDay, lastDay, search, limit, causes: cause ? [cause] : anyCause },
      idSent: idSent || undefined,
      before: before === undefined ? undefined : placeOf(before),
    });
    return { ...page, next: next ? `${next.at}_${next.id}` : null };
  },
});

function placeOf(cursor: string): GrowthPlace {
  const [, at = '', id] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)_(\d{1,10})$/.exec(cursor) ?? [];
  if (!instantOf(at) || Number(id) > 2147483647)
    throw invalid('before: must be the `next` of the previous page');
  return { at, id: Number(id) };
}
