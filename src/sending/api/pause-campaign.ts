import { lockCampaign } from '../../campaigns/campaign-store.ts';
import { checkMove } from '../../campaigns/schedule-state.ts';
import { siteAction } from '../../platform/http/operation.ts';
import { Id } from '../../platform/http/schema.ts';
import { moveJob, plannedJob } from '../job-store.ts';

export const pauseCampaign = siteAction({
  id: 'pauseCampaign',
  method: 'POST',
  path: '/campaigns/pause',
  right: 'send',
  tag: 'Campaigns',
  summary: 'Pause a schedule or a sending campaign',
  description:
    'The body is the campaign id. Messages whose hand-over to a mail server has begun still go out; sending now ' +
    'resumes with the rest. An audience that was being frozen is then frozen from scratch. Test mailings continue; ' +
    'they can only be stopped. A scheduled date that passes by more than an hour during the pause is missed.',
  body: Id('campaign'),
  refusals: [404, 409],
  handle: async ({ db, body: idCampaign, now }) =>
    db.transaction(async (tx) => {
      const campaign = await lockCampaign(tx, idCampaign);
      checkMove(campaign.scheduleState, 'Paused');
      const job = await plannedJob(tx, campaign.id);
      // What hindered it before is not why it is paused.
      await moveJob(tx, job.id, 'Paused', { pausedAt: now, errorInfo: null });
    }),
});
