import { createHash, randomBytes } from 'node:crypto';
import { Closed, Id, Line, Nullable, type Static, Timestamp, Type } from '../platform/http/schema.ts';
import { RoleSchema } from './role.ts';
import { SiteName } from './site.ts';

/** A token as lists show it: never its text. */
export const TokenSchema = Closed('Token', {
  id: Id('token'),
  idUser: Id('user'),
  userName: Type.String(),
  label: Line(255),
  role: RoleSchema,
  /** Null for a token of all sites. */
  sites: Nullable(Type.Array(SiteName())),
  creationDate: Timestamp(),
  expirationDate: Nullable(Timestamp()),
  revocationDate: Nullable(Timestamp()),
  lastUseDate: Nullable(Timestamp()),
});
export type TokenShown = Static<typeof TokenSchema>;

/** A new token's text: a prefix that scanners for leaked secrets can know, and 256 random bits. */
export function newTokenText(): string {
  return `fct_${randomBytes(32).toString('base64url')}`;
}

/** Returns a token's stored form. SHA-256 is enough for 256 random bits; a slow hash would slow every request. */
export function hashOfToken(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
