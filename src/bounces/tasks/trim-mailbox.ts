import { task } from '../../platform/tasks.ts';
import { trimMailbox as trim, trimDeliveries } from '../mailbox-store.ts';
import { roleAddresses } from '../role-address.ts';

const keptDays = 7;
const keptMessages = 200_000;
/** Messages to the postmaster and abuse addresses, to which anyone can write. */
const keptOfRoles = 1_000;

/**
 * Deletes old messages, those past their Expires, and the oldest above the limits. The mailbox is for inspection, not
 * an archive.
 */
export const trimMailbox = task({
  name: 'trimMailbox',
  cron: '17 * * * *',
  async run(app) {
    const at = app.clock.now();
    const before = new Date(at.getTime() - keptDays * 86_400_000);
    const dropped =
      (await trimDeliveries(app.control, roleAddresses(app), keptOfRoles)) +
      (await trim(app.control, { before, at, most: keptMessages }));
    if (dropped > 0) app.log.info({ dropped }, 'mailbox trimmed');
  },
});
