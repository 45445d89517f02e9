import { getCampaign } from '../../campaigns/campaign-store.ts';
import { getSegmentAt } from '../../campaigns/segment-view.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Closed, Id, Reference, Type } from '../../platform/http/schema.ts';
import { Simulated, SpamScore, scoreSegments } from '../spam-score.ts';

export const computeSpamScores = siteOperation({
  id: 'computeSpamScores',
  method: 'POST',
  path: '/campaigns/spam-score',
  right: 'write',
  tag: 'Campaigns',
  summary: 'Compute the spam scores of all segments',
  description:
    'As computeSegmentSpamScore, with one score for each segment, in order of position. Excluded segments have no ' +
    'score. An engine that fails for one message is not asked about the others.',
  body: Closed('SpamScoresInput', {
    idCampaign: Id('campaign'),
    segmentPosition: Reference('segmentPosition', 'Must exist; all segments are scored, whichever is named'),
    idSubscriber: Simulated,
  }),
  example: { idCampaign: 1 },
  atOnce: 2,
  reply: Type.Array(SpamScore),
  refusals: [404, 422],
  async handle({ app, db, body, now, signal }) {
    const { idCampaign, segmentPosition, idSubscriber = null } = body;
    const campaign = await getCampaign(db, idCampaign);
    if (segmentPosition) await getSegmentAt(db, campaign.id, segmentPosition);
    return scoreSegments(app, db, { campaign, idSubscriber, at: now, signal });
  },
});
