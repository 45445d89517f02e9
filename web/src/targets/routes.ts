import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { siteRoute } from '../root.tsx';
import { readTargetSearch, type TargetSearch } from './target-search.ts';

const list = createRoute({
  getParentRoute: () => siteRoute,
  path: '/targets',
  validateSearch: (search: Record<string, unknown>): TargetSearch => readTargetSearch(search),
  component: lazyRouteComponent(() => import('./target-list-screen.tsx'), 'TargetListScreen'),
});

const one = createRoute({
  getParentRoute: () => siteRoute,
  path: '/targets/$idTarget',
  component: lazyRouteComponent(() => import('./target-screen.tsx'), 'TargetScreen'),
});

export const targetRoutes = [list, one];
