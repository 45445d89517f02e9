import type { SmtpTimeouts } from './outcome.ts';

/** How TLS is used: not, from the first byte, or by STARTTLS (and not without it). */
export type TlsUse = 'none' | 'tls' | 'starttls';

/** A relay: where it is, and how we sign in to it. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsUse;
  readonly auth: { readonly user: string; readonly password: string } | undefined;
  /** The name in EHLO. */
  readonly clientName: string;
  readonly timeouts?: SmtpTimeouts;
  /** False for a relay with a certificate of its own making. */
  readonly verifyCertificate?: boolean;
}
