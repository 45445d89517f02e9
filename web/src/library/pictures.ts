import { useQueries, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useSite } from '../session/session.tsx';
import type { PictureSearch } from './routes.ts';

export type Picture = components['schemas']['Picture'];

/** Pictures that one call brings. */
export const pageSize = 100;
/** The most that one call can bring. */
const mostItems = 1000;

const orders = {
  newest: { 'filter.sortBy': 'Id', 'filter.order': 'DESC' },
  name: { 'filter.sortBy': 'Name', 'filter.order': 'ASC' },
  largest: { 'filter.sortBy': 'PictureSize', 'filter.order': 'DESC' },
} as const;

/** Pages of the pictures that a search finds. Only those that are on the screen are read. */
export function usePicturePages(search: PictureSearch, pages: readonly number[]) {
  const site = useSite();
  const location = search.folder === undefined ? search.location : String(search.folder);
  const filter = {
    ...orders[search.order ?? 'newest'],
    ...(location && { 'filter.location': location }),
    ...(search.search && { 'filter.name': search.search }),
  };
  return useQueries({
    queries: pages.map((page) => ({
      queryKey: ['pictures', site.name, filter, page],
      staleTime: 30_000,
      queryFn: () =>
        dataOf(
          api.GET('/v1/{idsite}/pictures', {
            params: {
              path: { idsite: site.name },
              query: { ...filter, 'filter.start': page * pageSize, 'filter.limit': pageSize },
            },
          }),
        ),
    })),
  });
}

/** The numbers of campaigns that show the pictures of each page, by the picture's id. */
export function usePictureCampaigns(pages: readonly (readonly Picture[] | undefined)[]) {
  const site = useSite();
  const counted = useQueries({
    queries: pages.map((pictures) => {
      const idPictures = pictures?.map(({ idPicture }) => idPicture) ?? [];
      return {
        queryKey: ['pictures', site.name, 'campaigns', idPictures],
        enabled: idPictures.length > 0,
        staleTime: 30_000,
        queryFn: () =>
          dataOf(
            api.GET('/v1/{idsite}/pictures/campaign-counts', {
              params: { path: { idsite: site.name }, query: { idPictures } },
            }),
          ),
      };
    }),
  });
  return new Map(
    counted.flatMap(({ data }) => data ?? []).map(({ idPicture, nbCampaigns }) => [idPicture, nbCampaigns]),
  );
}

/** The ids of the user's favourites; lists of pictures do not mark them. */
export function useFavourites() {
  const site = useSite();
  return useQuery({
    queryKey: ['pictures', site.name, 'favourites'],
    queryFn: async () => {
      const ids = new Set<number>();
      for (let start = 0; ; start += mostItems) {
        const { items, totalCount } = await dataOf(
          api.GET('/v1/{idsite}/pictures', {
            params: {
              path: { idsite: site.name },
              query: {
                'filter.location': 'MyFavorites',
                'filter.sortBy': 'Id',
                'filter.order': 'ASC',
                'filter.start': start,
                'filter.limit': mostItems,
              },
            },
          }),
        );
        for (const { idPicture } of items) ids.add(idPicture);
        if (items.length === 0 || start + items.length >= totalCount) return ids;
      }
    },
  });
}

/** A picture's address at this service's own port: the console shows nothing from other hosts. */
export const shownAt = ({ url }: Picture): string => new URL(url).pathname.replace(/^.*(?=\/p\/)/, '');
