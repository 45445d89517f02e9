import { createRoute } from '@tanstack/react-router';
import { siteRoute } from '../root.tsx';
import { loadOverview, OverviewScreen } from './overview-screen.tsx';
import { type OverviewSearch, readOverviewSearch } from './periods.ts';

/** The screen that opens first. */
export const overviewRoutes = [
  createRoute({
    getParentRoute: () => siteRoute,
    path: '/',
    validateSearch: (search: Record<string, unknown>): OverviewSearch => readOverviewSearch(search),
    loaderDeps: ({ search }) => ({ days: search.days }),
    loader: ({ params, deps }) => loadOverview(params.site, deps.days),
    component: OverviewScreen,
  }),
];
