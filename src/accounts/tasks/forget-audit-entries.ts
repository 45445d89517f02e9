import { task } from '../../platform/tasks.ts';
import { auditDays } from '../audit-entry.ts';
import { deleteAuditEntries } from '../audit-entry-store.ts';

const atOnce = 10_000;

/** Deletes old entries of the audit log once a day. */
export const forgetAuditEntries = task({
  name: 'forgetAuditEntries',
  cron: '11 4 * * *',
  async run(app, _, signal) {
    const before = new Date(app.clock.now().getTime() - auditDays * 86_400_000);
    while (!signal.aborted && (await deleteAuditEntries(app.control, before, atOnce)) === atOnce);
  },
});
