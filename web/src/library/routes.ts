import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../parts/lazy-screen.tsx';
import { readPartSearch } from '../parts/part-search.ts';
import { siteRoute } from '../root.tsx';

/** The named locations of pictures; a folder is named by its id. */
export const pictureLocations = ['MyFavorites', 'MyCreated', 'Archives'] as const;
export const pictureOrders = ['newest', 'name', 'largest'] as const;

/** The types of directories that people sort into. */
export const directoryTypes = ['Image', 'Campaign', 'Filter', 'Pub', 'Config', 'Link'] as const;

/** Which pictures are shown, in which order. */
export interface PictureSearch {
  readonly search?: string;
  readonly location?: (typeof pictureLocations)[number];
  readonly folder?: number;
  readonly order?: (typeof pictureOrders)[number];
}

/** A search, and the page of a list. */
export interface ListSearch {
  readonly search?: string;
  readonly archive?: boolean;
  readonly page?: number;
}

const isOneOf = <Value extends string>(values: readonly Value[], value: unknown): value is Value =>
  values.some((one) => one === value);

const readListSearch = ({ search, archive, page }: Record<string, unknown>): ListSearch => ({
  ...(search !== undefined && search !== '' && { search: String(search) }),
  ...(archive === true && { archive }),
  ...(typeof page === 'number' && page > 1 && { page: Math.floor(page) }),
});

const pictures = createRoute({
  getParentRoute: () => siteRoute,
  path: '/library',
  validateSearch: ({ search, location, folder, order }: Record<string, unknown>): PictureSearch => ({
    ...(search !== undefined && search !== '' && { search: String(search) }),
    ...(isOneOf(pictureLocations, location) && { location }),
    ...(typeof folder === 'number' && folder > 0 && { folder: Math.floor(folder) }),
    ...(isOneOf(pictureOrders, order) && { order }),
  }),
  component: lazyScreen(() => import('./pictures-screen.tsx'), 'PicturesScreen'),
});

const advertisements = createRoute({
  getParentRoute: () => siteRoute,
  path: '/library/advertisements',
  validateSearch: readListSearch,
  component: lazyScreen(() => import('./advertisements-screen.tsx'), 'AdvertisementsScreen'),
});

const advertisers = createRoute({
  getParentRoute: () => siteRoute,
  path: '/library/advertisers',
  validateSearch: readListSearch,
  component: lazyScreen(() => import('./advertisers-screen.tsx'), 'AdvertisersScreen'),
});

const affiliations = createRoute({
  getParentRoute: () => siteRoute,
  path: '/library/affiliations',
  validateSearch: readListSearch,
  component: lazyScreen(() => import('./affiliations-screen.tsx'), 'AffiliationsScreen'),
});

const thematics = createRoute({
  getParentRoute: () => siteRoute,
  path: '/library/thematics',
  validateSearch: readListSearch,
  component: lazyScreen(() => import('./thematics-screen.tsx'), 'ThematicsScreen'),
});

const blocks = createRoute({
  getParentRoute: () => siteRoute,
  path: '/library/blocks',
  validateSearch: readListSearch,
  component: lazyScreen(() => import('./blocks-screen.tsx'), 'BlocksScreen'),
});

const data = createRoute({
  getParentRoute: () => siteRoute,
  path: '/library/data',
  validateSearch: readListSearch,
  component: lazyScreen(() => import('./data-screen.tsx'), 'DataScreen'),
});

const directories = createRoute({
  getParentRoute: () => siteRoute,
  path: '/library/directories',
  validateSearch: (search) => readPartSearch(directoryTypes, search),
  component: lazyScreen(() => import('./directories-screen.tsx'), 'DirectoriesScreen'),
});

export const libraryRoutes = [
  pictures,
  advertisements,
  advertisers,
  affiliations,
  thematics,
  blocks,
  data,
  directories,
];
