import { maxTesters } from '../../campaigns/campaign-rules.ts';
import { getCampaign } from '../../campaigns/campaign-store.ts';
import { siteAction } from '../../platform/http/operation.ts';
import { Id } from '../../platform/http/schema.ts';
import { startTestMailing } from '../control-jobs.ts';

export const sendTestMailing = siteAction({
  id: 'sendTestMailing',
  method: 'POST',
  path: '/campaigns/test-mailing',
  right: 'send',
  tag: 'Campaigns',
  summary: 'Send a test mailing (BAT) on all segments',
  description:
    'The body is the campaign id. Every subscriber of the campaign’s test target gets the message of each segment ' +
    'that is not excluded. No unsubscribe link and no safe target are required. More than ' +
    `${maxTesters} testers are rejected (422).`,
  body: Id('campaign'),
  refusals: [404, 409, 422, 503],
  async handle({ app, db, body: idCampaign, caller, now }) {
    const campaign = await getCampaign(db, idCampaign);
    await startTestMailing(app, db, { campaign, author: caller.userName, at: now });
  },
});
