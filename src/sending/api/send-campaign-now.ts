import { getCampaign, lockCampaign } from '../../campaigns/campaign-store.ts';
import { segmentTargetFaults } from '../../campaigns/readiness.ts';
import { checkStart } from '../../campaigns/schedule-state.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { conflict } from '../../platform/http/refusal.ts';
import { Bool, Id, Query, Type } from '../../platform/http/schema.ts';
import { resumeCampaign } from '../schedule-campaign.ts';
import { checkSendAgain } from '../send-checks.ts';
import { startRealJob } from '../start-job.ts';

export const sendCampaignNow = siteOperation({
  id: 'sendCampaignNow',
  method: 'POST',
  path: '/campaigns/send-now',
  right: 'send',
  tag: 'Campaigns',
  summary: 'Send a campaign now, or resume a paused one',
  description:
    'The body is the campaign id. The sending starts 30 seconds later (a setting of the installation), so that it ' +
    'can still be stopped. A campaign that has been sent is sent to its audience again only with `afterJob`; a ' +
    'one-shot one never; with `afterJob` a paused one is not resumed (409). A campaign that is not ready, or with ' +
    'a target that is not safe, is refused (422) and the answer says all that is missing. 503 when its targets ' +
    'cannot be checked now, for example because the server of a file filter is unavailable.',
  query: Query({
    afterJob: Type.Optional(
      Id(
        'job',
        'To send a campaign again: the job that it was last sent with. So a call that comes twice mails nobody twice',
      ),
    ),
  }),
  body: Id('campaign'),
  reply: Bool(),
  refusals: [404, 409, 422, 503],
  handle: async ({ db, app, query, body: idCampaign, caller, now }) => {
    // Before the campaign is locked, as it may take seconds; generation judges what changes in between. A paused
    // campaign has its audience already.
    const { scheduleState } = await getCampaign(db, idCampaign);
    if (scheduleState !== 'Paused') checkStart(scheduleState);
    const faults = scheduleState === 'Paused' ? [] : await segmentTargetFaults(app, db, idCampaign, now);
    return db.transaction(async (tx) => {
      const campaign = await lockCampaign(tx, idCampaign);
      if (campaign.scheduleState === 'Paused') {
        // A call that comes twice must not undo a pause that came between.
        if (query.afterJob !== undefined)
          throw conflict('The campaign is Paused, not to be sent again; leave afterJob out to resume it');
        await resumeCampaign(tx, campaign, now);
        return true;
      }
      checkStart(campaign.scheduleState);
      await checkSendAgain(tx, campaign, query.afterJob);
      await startRealJob(app, tx, campaign, { faults, author: caller.userName, at: now });
      return true;
    });
  },
});
