import { lockCampaign } from '../../campaigns/campaign-store.ts';
import { checkMove, mayMove } from '../../campaigns/schedule-state.ts';
import { siteAction } from '../../platform/http/operation.ts';
import { Id } from '../../platform/http/schema.ts';
import { stopJob, stopTests } from '../control-jobs.ts';
import { plannedJob } from '../job-store.ts';

export const stopCampaign = siteAction({
  id: 'stopCampaign',
  method: 'POST',
  path: '/campaigns/stop',
  right: 'send',
  tag: 'Campaigns',
  summary: 'Stop a schedule or a sending campaign',
  description:
    'The body is the campaign id. This is final: pending recipients are cancelled, and the later dates of a ' +
    'schedule are removed. Takes effect immediately while the campaign is planned, generated, sent or paused. Also ' +
    'stops its test mailings. If only test mailings run, the campaign itself keeps its state.',
  body: Id('campaign'),
  refusals: [404, 409],
  handle: async ({ db, body: idCampaign, now }) =>
    db.transaction(async (tx) => {
      const { id, scheduleState } = await lockCampaign(tx, idCampaign);
      const hadTests = await stopTests(tx, id, now);
      if (hadTests && !mayMove(scheduleState, 'Stopped')) return;
      checkMove(scheduleState, 'Stopped');
      await stopJob(tx, await plannedJob(tx, id), { endedAt: now });
    }),
});
