import { isSendingDomain } from '../accounts/sending-domain-store.ts';
import type { App } from '../platform/app.ts';

/** Addresses that every domain with mail must have: RFC 5321 4.5.1 and RFC 2142. */
const roles: readonly string[] = ['postmaster', 'abuse'];

/** The addresses under which the built-in mailbox stores the mail of these roles, at any of our domains. */
export function roleAddresses(app: App): readonly string[] {
  const host = new URL(app.publicUrl).hostname;
  return roles.map((role) => `${role}@${host}`);
}

/**
 * Returns the mailbox of a role at one of our domains: the host of the public address, a sending domain of any site, or
 * no domain (`<postmaster>`, RFC 5321 4.1.1.3). Undefined for any other address.
 */
export async function roleAddressOf(app: App, address: string): Promise<string | undefined> {
  const [role = '', domain] = address.toLowerCase().split('@');
  if (!roles.includes(role)) return undefined;
  const host = new URL(app.publicUrl).hostname;
  const isOurs = domain === undefined || domain === host || (await isSendingDomain(app.control, domain));
  return isOurs ? `${role}@${host}` : undefined;
}
