import { getCampaign } from '../../campaigns/campaign-store.ts';
import { excludedProblem } from '../../campaigns/segment.ts';
import { findSegment } from '../../campaigns/segment-store.ts';
import { siteAction } from '../../platform/http/operation.ts';
import { found, refused } from '../../platform/http/refusal.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { startTestMailing } from '../control-jobs.ts';

export const sendSegmentTestMailing = siteAction({
  id: 'sendSegmentTestMailing',
  method: 'POST',
  path: '/campaigns/{idCampaign}/test-mailing',
  right: 'send',
  tag: 'Campaigns',
  summary: 'Send a test mailing (BAT) on one segment',
  description: 'The body is the position of the segment, counted from 1.',
  params: Params({ idCampaign: Id('campaign') }),
  body: Id('segmentPosition'),
  refusals: [409, 422, 503],
  async handle({ app, db, params, body: position, caller, now }) {
    const campaign = await getCampaign(db, params.idCampaign);
    const segment = found(await findSegment(db, campaign.id, position), 'Segment');
    if (segment.parameters.isExcluded) throw refused(excludedProblem(position));
    const idSegment = segment.id;
    await startTestMailing(app, db, { campaign, idSegment, author: caller.userName, at: now });
  },
});
