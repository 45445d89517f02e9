import { task } from '../../platform/tasks.ts';
import { forgetWebhookRequests as forget } from '../webhook-request-store.ts';

/** Deletes signed webhook requests that are too old to be accepted again. */
export const forgetWebhookRequests = task({
  name: 'forgetWebhookRequests',
  cron: '41 * * * *',
  run: (app) => forget(app.control, app.clock.now()),
});
