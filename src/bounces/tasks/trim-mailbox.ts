import { task } from '../../platform/tasks.ts';
import { trimMailbox as trim, trimDeliveries } from '../mailbox-store.ts';
import { roleAddresses } from '../role-address.ts';

const keptDays = 7;
const keptMessages = 200_000;
/** Messages to the postmaster and abuse addresses: anybody can write there. */
const keptOfRoles = 1_000;

/**
 * The mailbox is for looking at, not an archive: old messages go, and those past their Expires, as at a mailbox
 * provider; it never grows without end.
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
