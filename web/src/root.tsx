import { createRootRoute, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { NotFound } from './parts/states.tsx';
import { findMe, keepLastSite, siteOf } from './session/session.tsx';
import { Broken } from './shell/broken.tsx';
import { SiteFrame } from './shell/site-frame.tsx';
import { loadServiceText } from './words/service-text.ts';
import { usePartWords } from './words/use-part-words.ts';
import { loadLaterWords } from './words/words.tsx';

export const root = createRootRoute({
  component: Outlet,
  errorComponent: Broken,
});

/** The route of one site; every screen about a site is below it. */
export const siteRoute = createRoute({
  getParentRoute: () => root,
  path: '/$site',
  beforeLoad: async ({ location, params }) => {
    const me = await findMe();
    if (!me) throw redirect({ to: '/sign-in', search: { to: location.href } });
    if (siteOf(me, params.site)) keepLastSite(params.site);
    // The overview is the first screen, and its texts are there.
    if (location.pathname.replace(/\/$/, '').endsWith(`/${params.site}`)) return;
    await Promise.all([loadLaterWords(), usePartWords.load(), loadServiceText()]);
  },
  component: SiteFrame,
  notFoundComponent: () => <NotFound />,
});
