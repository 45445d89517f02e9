import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import { parisInstant } from '../targets/paris-time.ts';
import { isRunning } from './campaign.ts';
import { type ListSearch, type Part, parts } from './list-search.ts';

/** Campaigns of a page. */
export const pageSize = 50;
const liveMs = 3_000;
/** Changes of other people are noticed after this. */
const idleMs = 10_000;

const statesOf = {
  drafts: ['None'],
  scheduled: ['Programmed'],
  sending: ['InProgress'],
  sent: ['Finished', 'Stopped'],
  problems: ['Paused', 'Missed', 'Error'],
} as const;

const statesIn = (part: Part): readonly string[] | undefined =>
  part in statesOf ? statesOf[part as keyof typeof statesOf] : undefined;

/** The filters that the list and the counts of its parts share. */
const filtersOf = ({ search, where, type, author, from, to }: ListSearch) => ({
  ...(search && { 'filter.text': search }),
  ...(where && { 'filter.location': where }),
  ...(type && { 'filter.type': type }),
  ...(author && { 'filter.idAuthor': author }),
  ...(from && { 'filter.creationStartDate': parisInstant(`${from}T00:00`)! }),
  ...(to && { 'filter.creationEndDate': parisInstant(`${to}T23:59`)! }),
});

/** The page of campaigns that the address names; renewed often while one of them is being sent. */
export function useCampaigns(search: ListSearch) {
  const site = useSite();
  const { part = 'all', sort = 'LastUpdateDate', order = 'DESC', page = 1 } = search;
  const states = part in statesOf ? statesOf[part as keyof typeof statesOf] : undefined;
  const query = {
    ...filtersOf(search),
    ...(part === 'archive' && { 'filter.isArchive': true }),
    ...(states && { 'filter.states': [...states] }),
    'filter.sortBy': sort,
    'filter.order': order,
    'filter.start': (page - 1) * pageSize,
    'filter.limit': pageSize,
  };
  return useQuery({
    queryKey: ['campaigns', site.name, 'list', query],
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data?.items.some(isRunning) ? liveMs : idleMs),
    queryFn: () =>
      dataOf(api.GET('/v1/{idsite}/campaigns', { params: { path: { idsite: site.name }, query } })),
  });
}

/** How many campaigns each part of the list has under the filters of the address. */
export function usePartCounts(search: ListSearch): Readonly<Record<Part, number>> | undefined {
  const site = useSite();
  const query = filtersOf(search);
  const { data } = useQuery({
    queryKey: ['campaigns', site.name, 'counts', query],
    placeholderData: keepPreviousData,
    refetchInterval: idleMs,
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/v1/{idsite}/campaigns/counts', {
          params: { path: { idsite: site.name }, query },
          signal,
        }),
      ),
  });
  if (!data) return undefined;
  const countOf = (part: Part): number => {
    const states = statesIn(part);
    return data
      .filter(
        ({ isArchive, state }) => isArchive === (part === 'archive') && (states?.includes(state) ?? true),
      )
      .reduce((sum, { count }) => sum + count, 0);
  };
  return Object.fromEntries(parts.map((part) => [part, countOf(part)])) as Record<Part, number>;
}

/** Users who created a campaign of the site. */
export function useAuthors() {
  const site = useSite();
  return useQuery({
    queryKey: ['campaigns', site.name, 'authors'],
    queryFn: () =>
      dataOf(api.GET('/v1/{idsite}/campaigns/authors', { params: { path: { idsite: site.name } } })),
  }).data;
}

/** The user's favourites. */
export function useFavourites(): ReadonlySet<number> {
  const site = useSite();
  const { data } = useQuery({
    queryKey: ['campaigns', site.name, 'favourites'],
    queryFn: () =>
      dataOf(api.GET('/v1/{idsite}/campaigns/favourites', { params: { path: { idsite: site.name } } })),
  });
  return new Set(data);
}
