import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { siteRoute } from '../root.tsx';

/** Messages that the built-in mailbox caught; the number of the open message is in the address. */
export const mailboxRoutes = [
  createRoute({
    getParentRoute: () => siteRoute,
    path: '/mailbox',
    validateSearch: (search: Record<string, unknown>): { message?: number; to?: string } => ({
      ...(typeof search.message === 'number' && { message: search.message }),
      ...(typeof search.to === 'string' && search.to !== '' && { to: search.to }),
    }),
    component: lazyRouteComponent(() => import('./mailbox-screen.tsx'), 'MailboxScreen'),
  }),
];
