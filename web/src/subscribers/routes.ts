import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { siteRoute } from '../root.tsx';

const list = createRoute({
  getParentRoute: () => siteRoute,
  path: '/subscribers',
  // A number that was typed is a text here.
  validateSearch: (search: Record<string, unknown>): { search?: string } =>
    search.search === undefined || search.search === '' ? {} : { search: String(search.search) },
  component: lazyRouteComponent(() => import('./subscriber-list-screen.tsx'), 'SubscriberListScreen'),
});

const one = createRoute({
  getParentRoute: () => siteRoute,
  path: '/subscribers/$idSubscriber',
  component: lazyRouteComponent(() => import('./subscriber-screen.tsx'), 'SubscriberScreen'),
});

export const subscriberRoutes = [list, one];
