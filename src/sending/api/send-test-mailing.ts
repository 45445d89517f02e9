import { getCampaign } from '../../campaigns/campaign-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Bool, Id } from '../../platform/http/schema.ts';
import { startTestMailing } from '../start-test-mailing.ts';

export const sendTestMailing = siteOperation({
  id: 'sendTestMailing',
  method: 'POST',
  path: '/campaigns/test-mailing',
  right: 'send',
  tag: 'Campaigns',
  summary: 'Send a test mailing (BAT) on all segments',
  description:
    'The body is the campaign id. Every subscriber of the campaign’s test target gets the message of each segment ' +
    'that is not excluded. No unsubscription link and no safe target are asked for.',
  body: Id(),
  reply: Bool(),
  refusals: [422],
  handle: async ({ db, body: idCampaign, caller, now }) =>
    db.transaction(async (tx) => {
      await startTestMailing(tx, await getCampaign(tx, idCampaign), undefined, caller.userName, now);
      return true;
    }),
});
