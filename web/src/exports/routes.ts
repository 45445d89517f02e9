import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { siteRoute } from '../root.tsx';

const list = createRoute({
  getParentRoute: () => siteRoute,
  path: '/exports',
  component: lazyRouteComponent(() => import('./export-list-screen.tsx'), 'ExportListScreen'),
});

export const exportRoutes = [list];
