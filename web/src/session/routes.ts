import { createRoute, redirect } from '@tanstack/react-router';
import { lazyScreen } from '../parts/lazy-screen.tsx';
import { root } from '../root.tsx';
import { NoSite } from './no-site.tsx';
// Removes the provider's code from the address before the router reads it.
import './provider.ts';
import { findMe, lastSite } from './session.tsx';
import { SignInScreen } from './sign-in-screen.tsx';

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async () => {
    const me = await findMe();
    if (!me) throw redirect({ to: '/sign-in', search: {} });
    const names = me.sites.map(({ name }) => name);
    const last = lastSite();
    const site = last !== null && names.includes(last) ? last : names[0];
    if (site !== undefined) throw redirect({ to: '/$site', params: { site } });
  },
  component: NoSite,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { to?: string; saved?: boolean } => ({
    ...(typeof search.to === 'string' && { to: search.to }),
    ...(search.saved === true && { saved: true }),
  }),
  component: SignInScreen,
});

const password = createRoute({
  getParentRoute: () => root,
  path: '/password',
  validateSearch: (search: Record<string, unknown>): { token?: string } =>
    // A token of digits only would be read as a number.
    search.token === undefined ? {} : { token: String(search.token) },
  component: lazyScreen(() => import('./password-screen.tsx'), 'PasswordScreen'),
});

/** The address is fixed: it is registered at the provider. What it was opened with is not kept in it. */
const provider = createRoute({
  getParentRoute: () => root,
  path: '/oidc',
  validateSearch: () => ({}),
  component: lazyScreen(() => import('./provider-screen.tsx'), 'ProviderScreen'),
});

/** Screens that need no session, and the entrance itself. */
export const sessionRoutes = [home, signIn, password, provider];
