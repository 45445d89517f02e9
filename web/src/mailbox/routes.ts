import { createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../parts/lazy-screen.tsx';
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
    component: lazyScreen(() => import('./mailbox-screen.tsx'), 'MailboxScreen'),
  }),
];
