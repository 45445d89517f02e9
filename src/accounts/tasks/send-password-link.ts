import type { App } from '../../platform/app.ts';
import { type NoticeRelay, sendNotice } from '../../platform/notice.ts';
import { task } from '../../platform/tasks.ts';
import { createPasswordLink } from '../password-link-store.ts';
import { relaysOf } from '../route-store.ts';
import { sitesOfUser } from '../session-store.ts';
import { findUser } from '../user-store.ts';

/** Sends a user the link for a new password; null, an unknown address: does nothing. A second run makes a new link. */
export const sendPasswordLink = task<{ idUser: number | null }>({
  name: 'sendPasswordLink',
  // After some minutes the person has requested another.
  maxAttempts: 4,
  async run(app, { idUser }) {
    const user = idUser === null ? undefined : await findUser(app.control, idUser);
    if (!user?.hasPassword || user.isDisabled) return;
    const relays = await relaysOfUser(app, user.id);
    const token = await createPasswordLink(app.control, user.id, app.clock.now());
    // Never the host of the request: an attacker who requests a link for another person chooses it.
    const link = `${app.publicUrl}/console/password?token=${token}`;
    const lines = [
      `Somebody, probably you, requested a new password for ${user.name} at ${app.publicUrl}.`,
      '',
      'Choose one here within an hour; the link works once:',
      link,
      '',
      'If it was not you, ignore this message: your password stays.',
    ];
    try {
      await sendNotice(
        app,
        { to: [user.email], subject: 'A new password', text: `${lines.join('\n')}\n` },
        relays,
      );
    } catch (error) {
      app.log.warn({ idUser }, 'password link could not be sent; retrying');
      throw error;
    }
    if (relays.length === 0)
      app.log.warn({ idUser }, 'password link left in the built-in mailbox: no relay is configured');
  },
});

/** The relays of the first of the user's sites that has any; none: the built-in mailbox. */
async function relaysOfUser(app: App, idUser: number): Promise<readonly NoticeRelay[]> {
  for (const { name } of await sitesOfUser(app.control, idUser)) {
    const site = await app.site(name);
    const relays = site ? await relaysOf(app, site.site.id) : [];
    if (relays.length > 0) return relays;
  }
  // A user of no site has the relay of the configuration: no site has the id 0.
  return relaysOf(app, 0);
}
