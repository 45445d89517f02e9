import { createSession } from '../accounts/session-store.ts';
import type { UserSite } from '../accounts/user.ts';
import { createUser, setSitesOfUser, signInUser } from '../accounts/user-store.ts';
import type { TestApp } from './app.ts';

/** The password of every user that `makePerson` makes. */
export const personPassword = 'correct horse battery';

let made = 0;

/** Makes a user who can sign in, with rights of their own: an administrator, or roles on sites. */
export async function makePerson(
  { app, clock }: TestApp,
  { sites = [], isAdministrator = false }: { sites?: readonly UserSite[]; isAdministrator?: boolean } = {},
) {
  made++;
  const person = { name: `Person ${made}`, email: `person${made}@facteur.test`, password: personPassword };
  return app.control.transaction(async (tx) => {
    const user = await createUser(tx, { ...person, isAdministrator }, clock.now());
    await setSitesOfUser(tx, user.id, sites);
    return user;
  });
}

/** Makes a session of a new user, or of one that `makePerson` made; the text of its cookie. */
export async function makeSession(t: TestApp, person?: { readonly email: string }): Promise<string> {
  const { email } = person ?? (await makePerson(t, { isAdministrator: true }));
  const user = await signInUser(t.app.control, email);
  return (await createSession(t.app.control, user!, t.clock.now()))!;
}
