import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../parts/lazy-screen.tsx';
import { siteRoute } from '../root.tsx';
import { type SubscriberState, states } from './states.ts';

interface SubscriberSearch {
  readonly search?: string;
  readonly state?: SubscriberState;
}

const list = createRoute({
  getParentRoute: () => siteRoute,
  path: '/subscribers',
  // A number that was typed is a text here.
  validateSearch: ({ search, state }: Record<string, unknown>): SubscriberSearch => ({
    ...(search !== undefined && search !== '' && { search: String(search) }),
    ...(states.includes(state as SubscriberState) && { state: state as SubscriberState }),
  }),
  component: lazyScreen(() => import('./subscriber-list-screen.tsx'), 'SubscriberListScreen'),
});

const one = createRoute({
  getParentRoute: () => siteRoute,
  path: '/subscribers/$idSubscriber',
  component: lazyScreen(() => import('./subscriber-screen.tsx'), 'SubscriberScreen'),
});

export const subscriberRoutes = [list, one];
