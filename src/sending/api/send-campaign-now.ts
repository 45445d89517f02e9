import { getCampaign, lockCampaign } from '../../campaigns/campaign-store.ts';
import { segmentTargetFaults } from '../../campaigns/readiness.ts';
import { checkStart } from '../../campaigns/schedule-state.ts';
import { siteAction } from '../../platform/http/operation.ts';
import { conflict } from '../../platform/http/refusal.ts';
import { Id, Query, Type } from '../../platform/http/schema.ts';
import { checkSendAgain, resumeCampaign, startRealJob } from '../control-jobs.ts';

export const sendCampaignNow = siteAction({
  id: 'sendCampaignNow',
  method: 'POST',
  path: '/campaigns/send-now',
  right: 'send',
  tag: 'Campaigns',
  summary: 'Send a campaign now, or resume a paused one',
  description:
    'The body is the campaign id. The sending starts 30 seconds later (a setting of the installation), so that it ' +
    'can still be stopped. A campaign that has been sent is sent again only with `afterJob`, a one-shot campaign ' +
    'never. With `afterJob` a paused campaign is not resumed (409). A campaign that is not ready, or that has an ' +
    'unsafe target, is rejected with everything that is missing (422). Returns 503 if its targets cannot be checked ' +
    'now, for example because the server of a file filter is unavailable.',
  query: Query({
    afterJob: Type.Optional(
      Id(
        'job',
        'Required to send a campaign again: the id of its latest job. A repeated call is therefore rejected instead ' +
          'of sending twice',
      ),
    ),
  }),
  body: Id('campaign'),
  refusals: [404, 409, 422, 503],
  handle: async ({ db, app, query, body: idCampaign, caller, now }) => {
    // Before the campaign is locked, because it may take seconds; the generation judges what changes in between. The
    // audience of a paused campaign is frozen.
    const { scheduleState } = await getCampaign(db, idCampaign);
    if (scheduleState !== 'Paused') checkStart(scheduleState);
    const faults = scheduleState === 'Paused' ? [] : await segmentTargetFaults(app, db, idCampaign, now);
    return db.transaction(async (tx) => {
      const campaign = await lockCampaign(tx, idCampaign);
      if (campaign.scheduleState === 'Paused') {
        // A repeated call must not undo a pause that came in between.
        if (query.afterJob !== undefined)
          throw conflict(
            'afterJob: the campaign is paused, so it is not sent again; omit afterJob to resume it',
          );
        await resumeCampaign(tx, campaign, now);
        return;
      }
      checkStart(campaign.scheduleState);
      await checkSendAgain(tx, campaign, query.afterJob);
      await startRealJob(app, tx, campaign, { faults, author: caller.userName, at: now });
    });
  },
});
