import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../parts/lazy-screen.tsx';
import { siteRoute } from '../root.tsx';
import { readTargetSearch, type TargetSearch } from './target-search.ts';

const list = createRoute({
  getParentRoute: () => siteRoute,
  path: '/targets',
  validateSearch: (search: Record<string, unknown>): TargetSearch => readTargetSearch(search),
  component: lazyScreen(() => import('./target-list-screen.tsx'), 'TargetListScreen'),
});

const one = createRoute({
  getParentRoute: () => siteRoute,
  path: '/targets/$idTarget',
  component: lazyScreen(() => import('./target-screen.tsx'), 'TargetScreen'),
});

export const targetRoutes = [list, one];
