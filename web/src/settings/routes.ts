import { createRoute, redirect } from '@tanstack/react-router';
import { lazyScreen } from '../parts/lazy-screen.tsx';
import { type PartSearch, readPartSearch } from '../parts/part-search.ts';
import { siteRoute } from '../root.tsx';

/** The address of the settings alone leads to their first section. */
const first = createRoute({
  getParentRoute: () => siteRoute,
  path: '/settings',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$site/settings/fields', params, replace: true });
  },
});

const readSearch = (search: Record<string, unknown>): PartSearch<never> => readPartSearch([], search);

const fields = createRoute({
  getParentRoute: () => siteRoute,
  path: '/settings/fields',
  validateSearch: readSearch,
  component: lazyScreen(() => import('./fields-screen.tsx'), 'FieldsScreen'),
});

/** The sending configurations that are in use, and those that are archived. */
export const senderParts = ['used', 'archive'] as const;

const senders = createRoute({
  getParentRoute: () => siteRoute,
  path: '/settings/senders',
  validateSearch: (search) => readPartSearch(senderParts, search),
  component: lazyScreen(() => import('./senders-screen.tsx'), 'SendersScreen'),
});

const domains = createRoute({
  getParentRoute: () => siteRoute,
  path: '/settings/domains',
  validateSearch: readSearch,
  component: lazyScreen(() => import('./domains-screen.tsx'), 'DomainsScreen'),
});

const relays = createRoute({
  getParentRoute: () => siteRoute,
  path: '/settings/relays',
  validateSearch: readSearch,
  component: lazyScreen(() => import('./relays-screen.tsx'), 'RelaysScreen'),
});

const sftp = createRoute({
  getParentRoute: () => siteRoute,
  path: '/settings/sftp',
  component: lazyScreen(() => import('./sftp-screen.tsx'), 'SftpScreen'),
});

const repositories = createRoute({
  getParentRoute: () => siteRoute,
  path: '/settings/repositories',
  component: lazyScreen(() => import('./repositories-screen.tsx'), 'RepositoriesScreen'),
});

const site = createRoute({
  getParentRoute: () => siteRoute,
  path: '/settings/site',
  component: lazyScreen(() => import('./site-screen.tsx'), 'SiteScreen'),
});

const users = createRoute({
  getParentRoute: () => siteRoute,
  path: '/settings/users',
  validateSearch: readSearch,
  component: lazyScreen(() => import('./users-screen.tsx'), 'UsersScreen'),
});

const tokens = createRoute({
  getParentRoute: () => siteRoute,
  path: '/settings/tokens',
  validateSearch: readSearch,
  component: lazyScreen(() => import('./tokens-screen.tsx'), 'TokensScreen'),
});

/** Which entries of the audit log are listed. */
export interface AuditSearch {
  readonly user?: number;
  readonly operation?: string;
  readonly onSite?: string;
  /** Days until now. */
  readonly days?: number;
}

const audit = createRoute({
  getParentRoute: () => siteRoute,
  path: '/settings/audit',
  validateSearch: ({ user, operation, onSite, days }: Record<string, unknown>): AuditSearch => ({
    ...(Number.isSafeInteger(user) && { user: user as number }),
    ...(typeof operation === 'string' && operation !== '' && { operation }),
    ...(typeof onSite === 'string' && onSite !== '' && { onSite }),
    ...(typeof days === 'number' && days > 0 && { days: Math.floor(days) }),
  }),
  component: lazyScreen(() => import('./audit-screen.tsx'), 'AuditScreen'),
});

export const settingsRoutes = [
  ...[first, fields, senders, domains, relays, sftp, repositories, site, users, tokens],
  audit,
];
