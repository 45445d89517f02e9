import { createRouter } from '@tanstack/react-router';
import { campaignRoutes } from './campaigns/routes.ts';
import { exportRoutes } from './exports/routes.ts';
import { importRoutes } from './imports/routes.ts';
import { libraryRoutes } from './library/routes.ts';
import { mailboxRoutes } from './mailbox/routes.ts';
import { overviewRoutes } from './overview/routes.ts';
import { NotFound } from './parts/states.tsx';
import { root, siteRoute } from './root.tsx';
import { sessionRoutes } from './session/routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import { Broken } from './shell/broken.tsx';
import { subscriberRoutes } from './subscribers/routes.ts';
import { targetRoutes } from './targets/routes.ts';

/** All screens; an area adds its routes here. */
const tree = root.addChildren([
  ...sessionRoutes,
  siteRoute.addChildren([
    ...overviewRoutes,
    ...campaignRoutes,
    ...subscriberRoutes,
    ...targetRoutes,
    ...importRoutes,
    ...exportRoutes,
    ...libraryRoutes,
    ...mailboxRoutes,
    ...settingsRoutes,
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: Broken,
  defaultNotFoundComponent: () => NotFound({}),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
