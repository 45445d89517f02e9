import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { siteRoute } from '../root.tsx';
import { type OverviewSearch, readOverviewSearch } from './periods.ts';

/** The screen that opens first. */
export const overviewRoutes = [
  createRoute({
    getParentRoute: () => siteRoute,
    path: '/',
    validateSearch: (search: Record<string, unknown>): OverviewSearch => readOverviewSearch(search),
    component: lazyRouteComponent(() => import('./overview-screen.tsx'), 'OverviewScreen'),
  }),
];
