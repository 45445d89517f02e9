import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';

/** One line about the same thing from the same address within this. */
const windowMs = 60_000;
/** Lines within it from all addresses: what a thousand of them do is one event. */
const linesPerWindow = 60;
const maxKnown = 10_000;

interface Known {
  since: number;
  /** Number of refusals that were not logged. */
  untold: number;
}

/** Notes that something was refused to an address. `about` is logged too: no secrets, no readers' data. */
export type NoteRefusal = (what: string, address: string, about?: Readonly<Record<string, unknown>>) => void;

/** Notes nothing: for anyone who keeps no log. */
export const noteNothing: NoteRefusal = () => undefined;

/**
 * Logs guesses and exceeded limits at `warn`, so that a filter such as fail2ban's can act on the address. The first of
 * a minute is logged; later ones are counted and logged with the next. An attacker with many addresses fills no disk:
 * above 60 lines a minute, one line says that there are more.
 * @param now milliseconds of any clock that never goes back
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
      log.warn('refusals exceed the lines per minute of this log');
      return;
    }
    known.set(key, { since: at, untold: 0 });
    log.warn({ address, ...about, ...(before && before.untold > 0 && { more: before.untold }) }, what);
  };
}
