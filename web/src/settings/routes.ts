import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { siteRoute } from '../root.tsx';

/** The address of the settings alone leads to their first section. */
const first = createRoute({
  getParentRoute: () => siteRoute,
  path: '/settings',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$site/settings/fields', params, replace: true });
  },
});

const fields = createRoute({
  getParentRoute: () => siteRoute,
  path: '/settings/fields',
  component: lazyRouteComponent(() => import('./fields-screen.tsx'), 'FieldsScreen'),
});

/** Which senders are listed. */
export interface SenderSearch {
  readonly search?: string;
  readonly archive?: boolean;
  readonly page?: number;
}

const senders = createRoute({
  getParentRoute: () => siteRoute,
  path: '/settings/senders',
  validateSearch: ({ search, archive, page }: Record<string, unknown>): SenderSearch => ({
    ...(search !== undefined && search !== '' && { search: String(search) }),
    ...(archive === true && { archive }),
    ...(typeof page === 'number' && page > 1 && { page: Math.floor(page) }),
  }),
  component: lazyRouteComponent(() => import('./senders-screen.tsx'), 'SendersScreen'),
});

const domains = createRoute({
  getParentRoute: () => siteRoute,
  path: '/settings/domains',
  component: lazyRouteComponent(() => import('./domains-screen.tsx'), 'DomainsScreen'),
});

const relays = createRoute({
  getParentRoute: () => siteRoute,
  path: '/settings/relays',
  component: lazyRouteComponent(() => import('./relays-screen.tsx'), 'RelaysScreen'),
});

const sftp = createRoute({
  getParentRoute: () => siteRoute,
  path: '/settings/sftp',
  component: lazyRouteComponent(() => import('./sftp-screen.tsx'), 'SftpScreen'),
});

const repositories = createRoute({
  getParentRoute: () => siteRoute,
  path: '/settings/repositories',
  component: lazyRouteComponent(() => import('./repositories-screen.tsx'), 'RepositoriesScreen'),
});

const site = createRoute({
  getParentRoute: () => siteRoute,
  path: '/settings/site',
  component: lazyRouteComponent(() => import('./site-screen.tsx'), 'SiteScreen'),
});

const users = createRoute({
  getParentRoute: () => siteRoute,
  path: '/settings/users',
  component: lazyRouteComponent(() => import('./users-screen.tsx'), 'UsersScreen'),
});

const tokens = createRoute({
  getParentRoute: () => siteRoute,
  path: '/settings/tokens',
  component: lazyRouteComponent(() => import('./tokens-screen.tsx'), 'TokensScreen'),
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
  component: lazyRouteComponent(() => import('./audit-screen.tsx'), 'AuditScreen'),
});

export const settingsRoutes = [
  ...[first, fields, senders, domains, relays, sftp, repositories, site, users, tokens],
  audit,
];
