import { siteOperation } from '../../platform/http/operation.ts';
import { Closed, Count, Int32, Type } from '../../platform/http/schema.ts';
import { listAuthors } from '../campaign-store.ts';

const CampaignAuthor = Closed('CampaignAuthor', {
  idAuthor: Int32('The user; filter.idAuthor of listCampaigns accepts it'),
  name: Type.String({ description: 'The name in the newest of their campaigns' }),
  nbCampaigns: Count('Campaigns that they created, the archived ones among them'),
});

export const listCampaignAuthors = siteOperation({
  id: 'listCampaignAuthors',
  method: 'GET',
  path: '/campaigns/authors',
  right: 'read',
  tag: 'Campaigns',
  summary: 'List the authors of campaigns',
  description:
    'Users who created a campaign, by name. Users who have lost their access since are among them.',
  reply: Type.Array(CampaignAuthor),
  handle: ({ db }) => listAuthors(db),
});
