import { forEachSite } from '../../accounts/for-each-site.ts';
import { task } from '../../platform/tasks.ts';
import { forgetOldPeople } from '../import-people-store.ts';

/** Deletes what old runs of imports recorded of people, on every site once a day. */
export const forgetImportPeople = task({
  name: 'forgetImportPeople',
  cron: '37 3 * * *',
  async run(app, _, signal) {
    const now = app.clock.now();
    await forEachSite(app, 'people of imports not deleted', (db) => forgetOldPeople(db, now), signal);
  },
});
