import { getCampaign } from '../../campaigns/campaign-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Count, Id, IdOf, Line, Params, Query, Type } from '../../platform/http/schema.ts';
import { MessagePreview, previewMessage as preview } from '../preview.ts';

export const previewMessage = siteOperation({
  id: 'previewMessage',
  method: 'GET',
  path: '/campaigns/{idCampaign}/segments/{segmentPosition}/preview',
  right: 'read',
  tag: 'Campaigns',
  summary: 'Preview the message of a segment for a subscriber',
  description:
    'The message as the subscriber would get it now, even while the campaign is not ready. Nothing is sent or ' +
    'counted. Links lead where clicks would lead; those of the unsubscribe, web version (mirror page) and forward ' +
    'pages lead nowhere. Without `idSubscriber` and `email` it is built for the first eligible subscriber.',
  params: Params({ idCampaign: Id('campaign'), segmentPosition: Id('segmentPosition', 'Counted from 1') }),
  query: Query({
    idSubscriber: Type.Optional(IdOf('subscriber', Count('The reader; 0 means none'))),
    email: Type.Optional(IdOf('email', Line(254, 'The address of the reader, instead of idSubscriber'))),
  }),
  reply: MessagePreview,
  refusals: [404, 422],
  async handle({ app, db, params, query, now }) {
    const { email = null } = query;
    const idSubscriber = query.idSubscriber || null;
    if (idSubscriber !== null && email !== null)
      throw invalid('email: cannot be combined with idSubscriber; give one of them');
    const campaign = await getCampaign(db, params.idCampaign);
    const reader = { idSubscriber, email };
    return preview(app, db, { campaign, position: params.segmentPosition, reader, at: now });
  },
});
