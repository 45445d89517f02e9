import type { SmtpTimeouts } from '../../mail/outcome.ts';
import type { WatchTimes } from './progress-watch.ts';
import type { RetryPolicy } from './retry.ts';

/** How an engine works. Every option defaults to the value that the service uses. */
export interface EngineOptions {
  /** The port of our own SMTP listener; the configured one if omitted. */
  readonly mailboxPort?: number;
  /** Seconds that a range is held without a commit; another process may take it after that. */
  readonly leaseS?: number;
  readonly pollMs?: number;
  readonly retry?: RetryPolicy;
  readonly watch?: WatchTimes;
  /** Milliseconds that a graceful stop waits for the replies to messages running; 60,000 if omitted. */
  readonly graceMs?: number;
  /** How long relays may take to answer; those of RFC 5321 if omitted. */
  readonly timeouts?: SmtpTimeouts;
  /**
   * Asked before a job is begun and, while jobs are at work, every few seconds. False: nothing may be sent, and every
   * job has been paused. A throw: nothing is begun now.
   */
  readonly mayGoOn?: () => Promise<boolean>;
}

/** How long a graceful stop waits for replies; `docs/operations.md` promises a minute. */
export const standardGraceMs = 60_000;
