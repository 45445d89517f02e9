import type { Right } from '../platform/http/operation.ts';
import { OneOf } from '../platform/http/schema.ts';

/** The rights of a token: each role has the rights of the one before it, and one more. */
export const roleNames = ['reader', 'editor', 'sender', 'admin'] as const;
export type RoleName = (typeof roleNames)[number];

export const RoleSchema = OneOf(roleNames);

const rights: Readonly<Record<RoleName, ReadonlySet<Right>>> = {
  reader: new Set<Right>(['read']),
  editor: new Set<Right>(['read', 'write']),
  sender: new Set<Right>(['read', 'write', 'send']),
  admin: new Set<Right>(['read', 'write', 'send', 'admin']),
};

export function rightsOf(role: RoleName): ReadonlySet<Right> {
  return rights[role];
}

/** Rights over the installation (/admin/v1); none for a token of some sites, which could give itself all sites. */
export function administrationRightsOf(role: RoleName, reachesAllSites: boolean): ReadonlySet<Right> {
  return reachesAllSites ? rights[role] : new Set<Right>();
}
