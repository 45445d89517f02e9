/** A request that its provider sent. */
export interface ProvedRequest {
  readonly events: unknown;
  /** Unique id of the request; absent for providers that send a password and sign nothing. */
  readonly id?: string;
  /** Confirms the subscription that the request announces. */
  readonly confirm?: () => Promise<void>;
}

/** The request is not proved to be its provider's. The message contains no secret. */
export class Unproved extends Error {}

/** The request has no password. It is not a guess: some clients send theirs only after a challenge. */
export class NoPassword extends Unproved {}
