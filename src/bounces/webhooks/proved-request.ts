/** A request that its provider sent. */
export interface ProvedRequest {
  readonly events: unknown;
  /** What no two requests share; absent where a password alone proves a request, and nothing in it does. */
  readonly id?: string;
  /** Does what the provider asks for before it sends events. */
  readonly confirm?: () => Promise<void>;
}

/** The request is not proved to be its provider's. The message is fit for the log. */
export class Unproved extends Error {}
