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

/**
 * The rights over the installation itself (/admin/v1). A token of some sites has none there, whatever its role:
 * it could make itself a token of all sites.
 */
export function administrationRightsOf(role: RoleName, reachesAllSites: boolean): ReadonlySet<Right> {
  return reachesAllSites ? rights[role] : new Set<Right>();
}
