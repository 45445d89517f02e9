import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../parts/lazy-screen.tsx';
import { siteRoute } from '../root.tsx';
import { type ExportSearch, readExportSearch } from './export-search.ts';

const list = createRoute({
  getParentRoute: () => siteRoute,
  path: '/exports',
  validateSearch: (search: Record<string, unknown>): ExportSearch => readExportSearch(search),
  component: lazyScreen(() => import('./export-list-screen.tsx'), 'ExportListScreen'),
});

export const exportRoutes = [list];
