import { randomBytes } from 'node:crypto';
import { Closed, Id, type Static, Type } from '../platform/http/schema.ts';
import { RoleSchema } from './role.ts';
import { SiteName, TypedConfirmationFrom } from './site.ts';
import { PreferencesSchema } from './user.ts';

/** How long a session lasts without a request. */
export const idleMs = 12 * 3_600_000;
/** How long it lasts at the longest. */
export const sessionMs = 30 * 24 * 3_600_000;
/** How long a password link can be used. */
export const passwordLinkMs = 3_600_000;

/** A new session's or password link's text: 256 random bits. */
export function newSecretText(): string {
  return randomBytes(32).toString('base64url');
}

/** A site that the caller has access to. */
export const MySiteSchema = Closed('MySite', {
  name: SiteName(),
  role: RoleSchema,
  typedConfirmationFrom: TypedConfirmationFrom(),
});
export type MySite = Static<typeof MySiteSchema>;

/** The caller, and what a client must know before it asks for anything else. */
export const MeSchema = Closed('Me', {
  user: Closed('MyUser', { id: Id('user'), name: Type.String(), email: Type.String() }),
  isAdministrator: Type.Boolean({ description: 'Whether the caller administers the installation' }),
  sites: Type.Array(MySiteSchema, { description: 'The sites that the caller has access to, by name' }),
  preferences: PreferencesSchema,
  settings: Closed('MySettings', {
    sendDelayInSeconds: Type.Integer({
      minimum: 0,
      description: 'Time from sendCampaignNow to the start of the sending',
    }),
    importDelayInSeconds: Type.Integer({
      minimum: 0,
      description: 'Time from createImmediateImport to the start of the import',
    }),
    publicAddress: Type.String({ description: 'Base URL of the links in messages' }),
  }),
});
