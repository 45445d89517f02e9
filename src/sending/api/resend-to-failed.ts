import { getCampaign, lockCampaign } from '../../campaigns/campaign-store.ts';
import { segmentTargetFaults } from '../../campaigns/readiness.ts';
import { checkStart } from '../../campaigns/schedule-state.ts';
import { listSegments } from '../../campaigns/segment-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { conflict } from '../../platform/http/refusal.ts';
import { Bool, Closed, Id, Int32, Type } from '../../platform/http/schema.ts';
import { startRealJob } from '../control-jobs.ts';
import { checkResend, resendAfter } from '../resend-store.ts';

export const resendToFailed = siteOperation({
  id: 'resendToFailed',
  method: 'POST',
  path: '/campaigns/resend-failed',
  right: 'send',
  tag: 'Campaigns',
  summary: 'Resend a campaign to its failed recipients',
  description:
    'Starts a job for the refused and expired recipients of an earlier job only, and returns the id of the new job. ' +
    'Each recipient gets the message of their segment, as the campaign is now. Recipients that were reached in the ' +
    'meantime, or may have been, are left out, so no recipient is emailed twice. The same applies to recipients ' +
    'that are no longer eligible, for example nonexistent mailboxes and unsubscribed readers. Targets are not ' +
    'evaluated again. The sending starts 30 seconds later (a setting of the installation). Returns 409 if `idJob` ' +
    'is not the latest job of the campaign, so that a repeated call starts nothing. Returns 409 as well if no ' +
    'recipient is left, or if the segment of a recipient was deleted or excluded since. Returns 422 and 503 as ' +
    '`sendCampaignNow` does.',
  body: Closed('FailedResend', {
    idCampaign: Id('campaign', 'The campaign to resend'),
    idJob: Id('job', 'The latest job of the campaign that has recipients, itself a resend or not'),
    includeUncertain: Type.Optional(
      Bool(
        'Whether to resend to uncertain recipients as well. Some of them received the message and will receive it ' +
          'twice. Default: false',
      ),
    ),
  }),
  reply: Int32('The id of the new job'),
  refusals: [404, 409, 422, 503],
  handle: async ({ db, app, body: { idCampaign, idJob, includeUncertain = false }, caller, now }) => {
    // Before the campaign is locked, because it may take seconds; generation judges what changes in between.
    checkStart((await getCampaign(db, idCampaign)).scheduleState);
    const faults = await segmentTargetFaults(app, db, idCampaign, now);
    return db.transaction(async (tx) => {
      const campaign = await lockCampaign(tx, idCampaign);
      if (campaign.scheduleState === 'Paused')
        throw conflict('The campaign is paused; resume it or stop it before you resend it');
      checkStart(campaign.scheduleState);
      const resend = await resendAfter(tx, campaign.id, idJob, includeUncertain);
      await checkResend(tx, resend, await listSegments(tx, campaign.id));
      return startRealJob(app, tx, campaign, { faults, author: caller.userName, at: now, resend });
    });
  },
});
