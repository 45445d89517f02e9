import type { App } from '../platform/app.ts';
import type { Caller } from '../platform/http/operation.ts';
import type { Static } from '../platform/http/schema.ts';
import type { MeSchema, MySite } from './session.ts';
import { sitesOfUser } from './session-store.ts';
import { listSites } from './site-store.ts';
import { findToken } from './token-store.ts';
import { findUser, preferencesOf } from './user-store.ts';

type Me = Static<typeof MeSchema>;

/** A user, and the rights that they have when signed in. */
export async function meOfUser(app: App, idUser: number): Promise<Me> {
  const user = await findUser(app.control, idUser);
  const sites = await sitesOfUser(app.control, idUser);
  return meWith(app, { id: idUser, ...user }, user?.isAdministrator ?? false, sites);
}

/** The user of a session or token, and the rights that it has. */
export async function meOfCaller(app: App, { idUser, idToken, userName }: Caller): Promise<Me> {
  const token = idToken === null ? undefined : await findToken(app.control, idToken);
  if (!token) return meOfUser(app, idUser);
  const sites = (await listSites(app.control))
    .filter(({ name }) => token.sites?.includes(name) ?? true)
    .map(({ name, typedConfirmationFrom }) => ({ name, role: token.role, typedConfirmationFrom }));
  const user = await findUser(app.control, idUser);
  return meWith(
    app,
    { id: idUser, name: userName, ...user },
    token.sites === null && token.role === 'admin',
    sites,
  );
}

async function meWith(
  { config, control, publicUrl }: App,
  { id, name = '', email = '' }: { readonly id: number; readonly name?: string; readonly email?: string },
  isAdministrator: boolean,
  sites: MySite[],
): Promise<Me> {
  return {
    user: { id, name, email },
    isAdministrator,
    sites,
    preferences: await preferencesOf(control, id),
    settings: {
      sendDelayInSeconds: config.sendDelayS,
      importDelayInSeconds: config.importDelayS,
      publicAddress: publicUrl,
    },
  };
}
