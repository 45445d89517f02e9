/** The classes of a returned message. The numbers are stored in `bounce.class`. */
export const bounceClasses = {
  /** The address does not work and will not. */
  hard: 1,
  /** It did not work this time. */
  soft: 2,
  /** An out-of-office reply or the like: the message arrived. */
  autoReply: 3,
  /** The domain has no mail server. */
  dns: 4,
  /** Refused as unwanted. */
  spam: 5,
  /** The reader called it unwanted (RFC 5965). */
  complaint: 6,
} as const;
export type BounceClass = (typeof bounceClasses)[keyof typeof bounceClasses];

export interface Bounce {
  readonly idSent: number;
  readonly idSubscriber: number;
  readonly class: BounceClass;
  /** Enhanced status code (RFC 3463), e.g. `5.1.1`; '' when there is none. */
  readonly status: string;
  readonly diagnostic: string;
  readonly at: Date;
  /** SHA-256 of the report: a repeated report counts once. */
  readonly digest: Buffer;
}

/** A relay's rejection of a recipient that counts as a bounce. */
export interface MailboxRefusal {
  readonly class: BounceClass;
  /** Enhanced status code; '' if there is none. */
  readonly status: string;
  /** The relay's text, with its reply code. */
  readonly diagnostic: string;
}
