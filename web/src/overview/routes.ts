import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { siteRoute } from '../root.tsx';

/** The screen that opens first. */
export const overviewRoutes = [
  createRoute({
    getParentRoute: () => siteRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./overview-screen.tsx'), 'OverviewScreen'),
  }),
];
