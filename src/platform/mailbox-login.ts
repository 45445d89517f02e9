import type { Secrets } from './secrets.ts';

/**
 * How this installation's own processes sign in to their SMTP listener to leave a message in the built-in mailbox.
 * Derived from the secret, so that every process knows it and no one else.
 */
export function mailboxLogin(secrets: Secrets): { user: string; password: string } {
  return { user: 'mailbox', password: secrets.key('mailbox').toString('base64url') };
}
