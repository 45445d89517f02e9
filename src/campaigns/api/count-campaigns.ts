import { siteOperation } from '../../platform/http/operation.ts';
import { Bool, Closed, Count, OneOf, Query, Type } from '../../platform/http/schema.ts';
import { campaignFilters, filterOf } from '../campaign-filter.ts';
import { countByState } from '../campaign-store.ts';
import { scheduleStates } from '../schedule-state.ts';

const StateCount = Closed('CampaignStateCount', {
  state: OneOf(scheduleStates, 'The state of their schedule'),
  isArchive: Bool('Whether they are archived'),
  count: Count(),
});

export const countCampaigns = siteOperation({
  id: 'countCampaigns',
  method: 'GET',
  path: '/campaigns/counts',
  right: 'read',
  tag: 'Campaigns',
  summary: 'Count campaigns by state',
  description:
    'Accepts the filters of listCampaigns. Returns one item for each state that a campaign has, the archived ones ' +
    'apart.',
  query: Query(campaignFilters),
  reply: Type.Array(StateCount),
  handle: ({ db, query, caller }) => countByState(db, filterOf(query, caller.idUser)),
});
