import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';

/** One line about the same thing from the same address within this. */
const windowMs = 60_000;
/** Lines within it from all addresses: what a thousand of them do is one event. */
const linesPerWindow = 60;
const maxKnown = 10_000;

interface Known {
  since: number;
  /** Times that were not told. */
  untold: number;
}

/** Notes that something was refused to an address. `about` is told as well: nothing secret, nothing of readers. */
export type NoteRefusal = (what: string, address: string, about?: Readonly<Record<string, unknown>>) => void;

/** Notes nothing: for anyone who keeps no log. */
export const noteNothing: NoteRefusal = () => undefined;

/**
 * Reports the log, at `warn`, of guesses and of limits that were reached, so that a filter such as fail2ban's can act
 * on the address. The first of a minute is told; those after it are counted and told with the next one. An attacker
 * with many addresses fills no disk: beyond 60 lines a minute one line says that there are more.
 * @param now milliseconds of any clock that does not go back.
 */
export function refusalLog(log: Logger, now: () => number = () => performance.now()): NoteRefusal {
  const known = new LRUCache<string, Known>({ max: maxKnown });
  let since = Number.NEGATIVE_INFINITY;
  let lines = 0;
  return (what, address, about = {}) => {
    const at = now();
    const key = `${what} ${address}`;
    const before = known.get(key);
    if (before && at - before.since < windowMs) {
      before.untold++;
      return;
    }
    if (at - since >= windowMs) {
      since = at;
      lines = 0;
    }
    lines++;
    if (lines > linesPerWindow + 1) return;
    if (lines > linesPerWindow) {
      log.warn('more is refused than this log tells of in a minute');
      return;
    }
    known.set(key, { since: at, untold: 0 });
    log.warn({ address, ...about, ...(before && before.untold > 0 && { more: before.untold }) }, what);
  };
}
