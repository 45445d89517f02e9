import { siteOperation } from '../../platform/http/operation.ts';
import { Closed, Count, Id, Query, Type } from '../../platform/http/schema.ts';
import { countCampaignsOf } from '../picture-uses.ts';

export const countPictureCampaigns = siteOperation({
  id: 'countPictureCampaigns',
  method: 'GET',
  path: '/pictures/campaign-counts',
  right: 'read',
  tag: 'Pictures',
  summary: 'Count the campaigns that show pictures',
  description:
    'One record for each of the pictures that the site has, by id; `nbCampaigns` is that of listPictureUses. The ' +
    'time grows with the campaigns that show them.',
  query: Query({
    idPictures: Type.Array(Id('picture'), { minItems: 1, maxItems: 100, description: 'The pictures' }),
  }),
  reply: Type.Array(
    Closed('PictureCampaigns', {
      idPicture: Id('picture'),
      nbCampaigns: Count('Campaigns whose contents show it'),
    }),
  ),
  async handle({ db, query: { idPictures } }) {
    return countCampaignsOf(db, idPictures);
  },
});
