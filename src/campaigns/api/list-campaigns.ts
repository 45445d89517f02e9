import { siteOperation } from '../../platform/http/operation.ts';
import { OneOf, Paged, Paging, pageOf, pageRange, Query, Type } from '../../platform/http/schema.ts';
import { CampaignReply } from '../campaign.ts';
import { campaignFilters, filterOf } from '../campaign-filter.ts';
import { campaignSorts, listCampaigns as findPage, showAll } from '../campaign-store.ts';
import { scheduleStates } from '../schedule-state.ts';

export const listCampaigns = siteOperation({
  id: 'listCampaigns',
  method: 'GET',
  path: '/campaigns',
  right: 'read',
  tag: 'Campaigns',
  summary: 'List campaigns by filter',
  description:
    'Every filter that is given must hold. Archived campaigns are left out, and so are the contents of all ' +
    '(`htmlContent`, `textContent`), unless they are requested. A page that starts after the last campaign is empty.',
  query: Query({
    ...campaignFilters,
    'filter.isArchive': Type.Optional(
      Type.Boolean({ default: false, description: 'true: the archived ones, and no others' }),
    ),
    'filter.states': Type.Optional(
      Type.Array(OneOf(scheduleStates), {
        minItems: 1,
        description: 'Only campaigns in one of these states. Default: all',
      }),
    ),
    'filter.withContents': Type.Optional(
      Type.Boolean({ default: false, description: 'true: with `htmlContent` and `textContent`' }),
    ),
    ...Paging(campaignSorts),
  }),
  reply: Paged(CampaignReply),
  refusals: [413],
  handle: async ({ db, query, caller }) => {
    const range = pageRange(query);
    const { totalCount, items } = await findPage(db, {
      ...filterOf(query, caller.idUser),
      isArchive: query['filter.isArchive'] ?? false,
      states: query['filter.states'],
      withContents: query['filter.withContents'] ?? false,
      ...range,
    });
    return pageOf(await showAll(db, items), totalCount, range.start);
  },
});
