import { siteAction } from '../../platform/http/operation.ts';
import { Id, IdOf, Params, Type } from '../../platform/http/schema.ts';
import { untrack } from '../tracked-link-store.ts';

export const untrackLink = siteAction({
  id: 'untrackLink',
  method: 'DELETE',
  path: '/campaigns/{idCampaign}/tracked-links/{idTrackedUrl}',
  right: 'write',
  tag: 'Tracked links',
  summary: 'Deactivate the tracking of one URL',
  description: 'Existing messages keep their redirect, and the redirect keeps working.',
  params: Params({
    idCampaign: Id('campaign'),
    idTrackedUrl: IdOf(
      'trackedLink',
      Type.Integer({ title: 'Int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    ),
  }),
  async handle({ db, params }) {
    await untrack(db, params.idCampaign, params.idTrackedUrl);
  },
});
