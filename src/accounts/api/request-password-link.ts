import { openOperation } from '../../platform/http/operation.ts';
import { Bool, Closed, Line } from '../../platform/http/schema.ts';
import { addJob } from '../../platform/jobs.ts';
import { sendPasswordLink } from '../jobs/send-password-link.ts';
import { entryLimits } from '../sign-in.ts';
import { signInUser } from '../user-store.ts';

export const requestPasswordLink = openOperation({
  id: 'requestPasswordLink',
  method: 'POST',
  path: '/password-links',
  tag: 'Session',
  summary: 'Request a link for a new password',
  description:
    'Sends the user of this address a link to the console by which they choose a new password. The link can be used ' +
    'once within one hour; a newer one replaces it. The response is the same whether or not the address belongs to a ' +
    'user who can sign in. An account gets at most 3 links an hour; further requests, also more than 20 from one ' +
    'address, have to wait (429).',
  body: Closed('PasswordLinkRequest', { email: Line(254) }),
  example: { email: 'ada@example.com' },
  reply: Bool(),
  async handle({ db, body: { email }, address }) {
    await entryLimits(db).countLink(email, address);
    const user = await signInUser(db, email);
    // An unknown address gets a task as well, which does nothing: the response takes the same time.
    const jobKey = `password-link-${user?.id ?? 'none'}`;
    await addJob(db, sendPasswordLink, { idUser: user?.id ?? null }, { jobKey });
    return true;
  },
});
