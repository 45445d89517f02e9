import { createRoute, redirect } from '@tanstack/react-router';
import { lazyScreen } from '../parts/lazy-screen.tsx';
import { siteRoute } from '../root.tsx';
import { findMe } from '../session/session.tsx';
import { keptFilters } from './kept-filters.ts';
import { type ListSearch, readCalendarSearch, readListSearch } from './list-search.ts';

const list = createRoute({
  getParentRoute: () => siteRoute,
  path: '/campaigns',
  validateSearch: (search: Record<string, unknown>): ListSearch => readListSearch(search),
  /** An address without any filter opens the list as the user left it. */
  beforeLoad: async ({ search, params }) => {
    const me = Object.keys(search).length === 0 ? await findMe() : undefined;
    const kept = me ? keptFilters(me.user.id, params.site) : {};
    if (Object.keys(kept).length > 0)
      throw redirect({ to: '/$site/campaigns', params, search: kept, replace: true });
  },
  component: lazyScreen(() => import('./campaign-list-screen.tsx'), 'CampaignListScreen'),
});

const create = createRoute({
  getParentRoute: () => siteRoute,
  path: '/campaigns/new',
  component: lazyScreen(() => import('./new-campaign-screen.tsx'), 'NewCampaignScreen'),
});

const calendar = createRoute({
  getParentRoute: () => siteRoute,
  path: '/campaigns/calendar',
  validateSearch: readCalendarSearch,
  component: lazyScreen(() => import('./campaign-calendar-screen.tsx'), 'CampaignCalendarScreen'),
});

/** Composer, run or report, by the state of the campaign. */
const one = createRoute({
  getParentRoute: () => siteRoute,
  path: '/campaigns/$idCampaign',
  component: lazyScreen(() => import('./campaign-screen.tsx'), 'CampaignScreen'),
});

export const campaignRoutes = [list, create, calendar, one];
