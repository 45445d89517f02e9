import { lockCampaign, setScheduleState } from '../../campaigns/campaign-store.ts';
import { checkMove } from '../../campaigns/schedule-state.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Bool, Id } from '../../platform/http/schema.ts';
import { moveJob, offerJob, runningJob } from '../job-store.ts';

export const stopCampaign = siteOperation({
  id: 'stopCampaign',
  method: 'POST',
  path: '/campaigns/stop',
  right: 'send',
  tag: 'Campaigns',
  summary: 'Stop a schedule or a sending campaign',
  description:
    'The body is the campaign id. For good: recipients who have not got their message are cancelled. Works while the ' +
    'campaign is planned, generated, sent or paused.',
  body: Id(),
  reply: Bool(),
  refusals: [409],
  handle: async ({ db, body: idCampaign, now }) =>
    db.transaction(async (tx) => {
      const campaign = await lockCampaign(tx, idCampaign);
      checkMove(campaign.scheduleState, 'Stopped');
      const job = await runningJob(tx, campaign.id);
      if (!job) {
        await setScheduleState(tx, campaign.id, 'Stopped');
        return true;
      }
      await moveJob(tx, job.id, 'Stopped', { endedAt: now });
      // The engine gives everybody who is left his final state.
      if (job.isFrozen) await offerJob(tx, job.id);
      return true;
    }),
});
