import { normaliseEmail } from '../platform/email-address.ts';
import { invalid } from '../platform/http/refusal.ts';
import {
  Bool,
  Closed,
  Id,
  Line,
  Maybe,
  OneOf,
  type Static,
  Timestamp,
  Type,
} from '../platform/http/schema.ts';
import { RoleSchema } from './role.ts';
import { SiteName } from './site.ts';

export const UserSiteSchema = Closed('UserSite', { name: SiteName(), role: RoleSchema });
export type UserSite = Static<typeof UserSiteSchema>;

const IsAdministrator = () =>
  Bool('Whether they may do everything on all sites, and administer the installation');

const SitesOfUser = () =>
  Type.Array(UserSiteSchema, {
    maxItems: 1000,
    description: 'The sites that they have access to when signed in; tokens have their own',
  });

/** A person: the document's idUser and author. */
export const UserSchema = Closed('User', {
  id: Id('user'),
  name: Line(255),
  email: Line(254),
  hasPassword: Type.Boolean(),
  isDisabled: Bool('Whether their tokens and sessions are rejected'),
  isAdministrator: IsAdministrator(),
  sites: SitesOfUser(),
  creationDate: Timestamp(),
});
export type User = Static<typeof UserSchema>;

const Theme = () => OneOf(['auto', 'light', 'dark'], 'The colours of the console; auto: those of the system');
const Density = () =>
  OneOf(['comfortable', 'compact'], 'The height of rows, buttons and fields of the console');

/** How the console looks for a user, on all of their devices. */
export const PreferencesSchema = Closed('Preferences', { theme: Theme(), density: Density() });
export type Preferences = Static<typeof PreferencesSchema>;

/** A change of preferences. Omitted and null ones keep their values. */
export const PreferencesChange = Closed('PreferencesChange', {
  theme: Maybe(Theme()),
  density: Maybe(Density()),
});
export type PreferencesChange = Static<typeof PreferencesChange>;

export const UserName = () => Type.String({ ...Line(255), minLength: 1 });

export const PasswordOfUser = () => Type.String({ title: 'String', minLength: 12, maxLength: 200 });

/** Members that a user may have, at creation and at a change. */
export const optionalOfUser = {
  password: Maybe(PasswordOfUser()),
  isAdministrator: Maybe(IsAdministrator()),
  sites: Maybe(SitesOfUser()),
};

/** An address that notices can be sent to; `emailOfUser` reads it. */
export const EmailOfUser = () =>
  Type.String({
    ...Line(254, 'An email address, without a name or brackets'),
    examples: ['ada@example.com'],
  });

/** Normalises a user's address by the rules for subscribers' addresses. @throws 400 if it is invalid */
export function emailOfUser(text: string): string {
  const email = normaliseEmail(text);
  if (email === undefined) throw invalid('email: must be an email address, without a name or brackets');
  return email;
}
