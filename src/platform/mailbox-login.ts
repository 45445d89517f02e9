import type { Secrets } from './secrets.ts';

/** Login of this installation's processes for the built-in mailbox, derived from the secret. */
export function mailboxLogin(secrets: Secrets): { user: string; password: string } {
  return { user: 'mailbox', password: secrets.key('mailbox').toString('base64url') };
}
