import { draftContents } from '../../campaigns/draft.ts';
import { draftedCampaign } from '../../campaigns/drafted-campaign.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Closed, Id, IdOf, Line, Maybe, Params, Reference } from '../../platform/http/schema.ts';
import { MessagePreview, previewMessage } from '../preview.ts';

export const previewDraft = siteOperation({
  id: 'previewDraft',
  method: 'POST',
  path: '/campaigns/{idCampaign}/segments/{segmentPosition}/preview',
  right: 'read',
  unaudited: 'read',
  tag: 'Campaigns',
  summary: 'Preview contents before they are stored',
  description:
    'The message as previewMessage returns it, with the contents of the body in place of the stored ones. Stores ' +
    'nothing. Links that the stored contents do not have are shown as not tracked.',
  params: Params({ idCampaign: Id('campaign'), segmentPosition: Id('segmentPosition', 'Counted from 1') }),
  body: Closed('DraftPreviewInput', {
    ...draftContents,
    idSubscriber: Reference('subscriber', 'The reader. Default: the first eligible subscriber'),
    email: Maybe(IdOf('email', Line(254, 'The address of the reader, instead of idSubscriber'))),
  }),
  reply: MessagePreview,
  refusals: [404, 422],
  async handle({ app, db, params, body, now }) {
    const { idSubscriber = null, email = null, ...draft } = body;
    if (idSubscriber !== null && email !== null)
      throw invalid('email: cannot be combined with idSubscriber; give one of them');
    const campaign = await draftedCampaign(db, params.idCampaign, draft);
    const reader = { idSubscriber, email };
    return previewMessage(app, db, { campaign, position: params.segmentPosition, reader, at: now });
  },
});
