import { task } from '../../platform/tasks.ts';
import { forgetExpired } from '../report-store.ts';

/** Deletes expired reports. */
export const forgetReports = task({
  name: 'forgetReports',
  cron: '23 * * * *',
  run: (app) => forgetExpired(app.control, app.clock.now()),
});
