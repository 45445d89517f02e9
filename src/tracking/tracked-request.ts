import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LinkToken } from '../activity/link-token.ts';

/** A request to an address that we signed. */
export interface TrackedRequest {
  readonly token: LinkToken;
  /** The token as text. */
  readonly text: string;
  readonly at: Date;
  /** The client's address, as PostgreSQL reads it. */
  readonly address: string | null;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}
