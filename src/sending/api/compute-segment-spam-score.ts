import { getCampaign } from '../../campaigns/campaign-store.ts';
import { excludedProblem } from '../../campaigns/segment.ts';
import { getSegmentAt } from '../../campaigns/segment-view.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { refused } from '../../platform/http/refusal.ts';
import { Closed, Id } from '../../platform/http/schema.ts';
import { Simulated, SpamScore, scoreSegments } from '../spam-score.ts';

export const computeSegmentSpamScore = siteOperation({
  id: 'computeSegmentSpamScore',
  method: 'POST',
  path: '/campaigns/spam-score/segment',
  right: 'write',
  tag: 'Campaigns',
  summary: 'Compute the spam score of a segment',
  description:
    'SpamAssassin and Rspamd score the message of the segment, made for one subscriber as a sending would make it. ' +
    'The scores are kept with the segment and stay valid until something in its message changes. An engine that is ' +
    'not configured, or that fails, gives null; `details` has the reason.',
  body: Closed('SegmentSpamScoreInput', {
    idCampaign: Id('campaign'),
    segmentPosition: Id('segmentPosition', 'Counted from 1'),
    idSubscriber: Simulated,
  }),
  example: { idCampaign: 1, segmentPosition: 1 },
  // A message may have megabytes, and an engine may take long.
  atOnce: 2,
  reply: SpamScore,
  refusals: [404, 422],
  async handle({ app, db, body, now, signal }) {
    const { idCampaign, segmentPosition, idSubscriber = null } = body;
    const campaign = await getCampaign(db, idCampaign);
    const segment = await getSegmentAt(db, campaign.id, segmentPosition);
    if (segment.parameters.isExcluded) throw refused(excludedProblem(segmentPosition));
    const scores = await scoreSegments(app, db, { campaign, segment, idSubscriber, at: now, signal });
    return scores[0]!;
  },
});
