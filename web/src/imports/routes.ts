import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../parts/lazy-screen.tsx';
import { siteRoute } from '../root.tsx';
import { type ImportSearch, readImportSearch } from './import-search.ts';

/** The file that an import is prepared for. */
export interface FileSearch {
  readonly file?: string;
  /** The number of rows of the file, without the names; omitted if the browser could not count them. */
  readonly rows?: number;
  /** The import that the file corrects. */
  readonly like?: number;
}

const list = createRoute({
  getParentRoute: () => siteRoute,
  path: '/imports',
  validateSearch: (search: Record<string, unknown>): ImportSearch => readImportSearch(search),
  component: lazyScreen(() => import('./import-list-screen.tsx'), 'ImportListScreen'),
});

const create = createRoute({
  getParentRoute: () => siteRoute,
  path: '/imports/new',
  validateSearch: ({ file, rows, like }: Record<string, unknown>): FileSearch => ({
    ...(file !== undefined && { file: String(file) }),
    ...(typeof rows === 'number' && rows >= 0 && { rows: Math.floor(rows) }),
    ...(Number.isInteger(like) && Number(like) > 0 && { like: Number(like) }),
  }),
  component: lazyScreen(() => import('./new-import-screen.tsx'), 'NewImportScreen'),
});

const one = createRoute({
  getParentRoute: () => siteRoute,
  path: '/imports/$idImport',
  component: lazyScreen(() => import('./import-screen.tsx'), 'ImportScreen'),
});

export const importRoutes = [list, create, one];
