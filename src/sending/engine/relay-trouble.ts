import { SmtpError } from '../../mail/smtp-handshake.ts';
import { SmtpProtocolError } from '../../mail/smtp-reply.ts';
import type { SmtpServer } from '../../mail/smtp-server.ts';

/** A relay that wants to know who we are, or does not believe it (RFC 4954). */
const signInCodes: readonly number[] = [530, 534, 535, 538];

/**
 * Why no connection to a relay came about, for users to read. Of the relay's own words only the code is told: they
 * could repeat what it was sent, a password for instance.
 */
export function troubleOf(server: SmtpServer, error: Error): string {
  return `${server.host}:${server.port} ${reasonOf(error)}`;
}

/** What is told of a relay that has not answered for a while. */
export const troubleOfSilence = (server: SmtpServer): string =>
  `${server.host}:${server.port} does not answer`;

function reasonOf(error: Error): string {
  if (error instanceof SmtpError) {
    return signInCodes.includes(error.code)
      ? `does not take the user name and the password (${error.code})`
      : `takes no connection now (${error.code})`;
  }
  if (error instanceof SmtpProtocolError) return `cannot be used: ${error.message.split(':')[0]}`;
  return `cannot be reached: ${error.message.slice(0, 200)}`;
}
