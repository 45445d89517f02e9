import type { SmtpTimeouts } from './outcome.ts';

/** Steps of a connection and of its first message, in order. */
export const smtpSteps = [
  'connection',
  'greeting',
  'tls',
  'signIn',
  'sender',
  'recipient',
  'message',
] as const;
export type SmtpStep = (typeof smtpSteps)[number];

/** A relay: its address, and the credentials for it. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** The use of TLS: none, from the first byte, or by a required STARTTLS. */
  readonly tls: 'none' | 'tls' | 'starttls';
  readonly auth: { readonly user: string; readonly password: string } | undefined;
  /** The name in EHLO. */
  readonly clientName: string;
  readonly timeouts?: SmtpTimeouts;
  /** False for a relay with a self-signed certificate. */
  readonly verifyCertificate?: boolean;
  /** Called when a step begins. */
  readonly onStep?: (step: SmtpStep) => void;
}
