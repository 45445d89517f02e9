/** The highest level: it lasts until the alert is unlocked. */
export const lockedLevel = 3;
/** From this level on, messages of the pair wait. */
export const suspendedLevel = 2;

/** A span of time whose complaints are judged. Rates are percentages of accepted messages; decisions.md gives them. */
interface ComplaintWindow {
  readonly hours: number;
  readonly warns: number;
  readonly suspends: number;
  /** Below these numbers there is no verdict. */
  readonly leastSent: number;
  readonly leastComplaints: number;
  /** The level of a suspension. */
  readonly level: number;
}

export const complaintWindows: readonly ComplaintWindow[] = [
  { hours: 24, warns: 0.15, suspends: 0.3, leastSent: 1_000, leastComplaints: 10, level: lockedLevel },
  { hours: 1, warns: 0.5, suspends: 1, leastSent: 200, leastComplaints: 5, level: suspendedLevel },
];

/** Messages of a window that relays accepted, and how many of them were complained about. */
export interface ComplaintCounts {
  readonly nbSent: number;
  readonly nbComplaints: number;
}

/** The judgement of a pair's complaints. Level 0: no alert. */
export interface Verdict extends ComplaintCounts {
  readonly level: number;
  readonly hours: number;
}

export const rateOf = ({ nbSent, nbComplaints }: ComplaintCounts): number =>
  nbSent === 0 ? 0 : (nbComplaints / nbSent) * 100;

/** The gravest verdict over all windows. @param countsOf the counts of a window, by its hours */
export function verdictOn(countsOf: (hours: number) => ComplaintCounts): Verdict {
  let gravest: Verdict = { level: 0, hours: 0, nbSent: 0, nbComplaints: 0 };
  for (const window of complaintWindows) {
    const counts = countsOf(window.hours);
    const level = levelOf(window, counts);
    if (level > gravest.level) gravest = { level, hours: window.hours, ...counts };
  }
  return gravest;
}

function levelOf(window: ComplaintWindow, counts: ComplaintCounts): number {
  if (counts.nbSent < window.leastSent || counts.nbComplaints < window.leastComplaints) return 0;
  const rate = rateOf(counts);
  if (rate >= window.suspends) return window.level;
  return rate >= window.warns ? 1 : 0;
}
