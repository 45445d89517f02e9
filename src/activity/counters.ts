/**
 * The figures of one sending, or a sum of such figures: the only definition of each counter in the program. Those of a
 * campaign, a job and a sending over its jobs are sums of them, so they agree exactly. The names are those of the API
 * document.
 */
export interface Counters {
  /**
   * Recipients whose message a relay accepted, and all others with a bounce, an automatic reply or a complaint. The
   * latter prove that a relay accepted the message, or refused the mailbox at once where another would report it later.
   */
  readonly nbAddressSent: number;
  /** Fetches of the pixel, and one for each reader who clicked without any (pictures switched off). */
  readonly nbOpenings: number;
  /** Readers with at least one open. */
  readonly nbOpeners: number;
  /** The two counters above without machine classes (activity/hit-class.ts). */
  readonly nbHumanOpenings: number;
  readonly nbHumanOpeners: number;
  /** All clicks: the sum of the five kinds below. */
  readonly nbClicks: number;
  /** Readers with at least one click of any kind. */
  readonly nbClickers: number;
  readonly nbEditoClicks: number;
  readonly nbEditoClickers: number;
  readonly nbAdClicks: number;
  readonly nbAdClickers: number;
  readonly nbMirrorClicks: number;
  readonly nbMirrorClickers: number;
  readonly nbUnsubClicks: number;
  readonly nbUnsubClickers: number;
  /** Clicks through a forwarded message, on any link; the clicker is the recipient who forwarded it. */
  readonly nbViralClicks: number;
  readonly nbViralClickers: number;
  readonly nbUnsubs: number;
  /** Recipients whose message came back, each in one class: the gravest of hard, spam, DNS, soft, auto-reply. */
  readonly nbHardBounces: number;
  readonly nbSoftBounces: number;
  readonly nbAutoRespondersBounces: number;
  readonly nbDnsErrorsBounces: number;
  readonly nbSpamBounces: number;
  /** The sum of the five classes. */
  readonly nbTotalBounces: number;
  /** Recipients who called the message unwanted. */
  readonly nbSpamComplaints: number;
  /** Sent, less hard, soft, DNS and spam bounces. */
  readonly nbDelivered: number;
}

/** The counters of a sending without any event. */
export const noCounters: Counters = {
  nbAddressSent: 0,
  nbOpenings: 0,
  nbOpeners: 0,
  nbHumanOpenings: 0,
  nbHumanOpeners: 0,
  nbClicks: 0,
  nbClickers: 0,
  nbEditoClicks: 0,
  nbEditoClickers: 0,
  nbAdClicks: 0,
  nbAdClickers: 0,
  nbMirrorClicks: 0,
  nbMirrorClickers: 0,
  nbUnsubClicks: 0,
  nbUnsubClickers: 0,
  nbViralClicks: 0,
  nbViralClickers: 0,
  nbUnsubs: 0,
  nbHardBounces: 0,
  nbSoftBounces: 0,
  nbAutoRespondersBounces: 0,
  nbDnsErrorsBounces: 0,
  nbSpamBounces: 0,
  nbTotalBounces: 0,
  nbSpamComplaints: 0,
  nbDelivered: 0,
};

// Object.keys loses the names that the type knows.
const names = Object.keys(noCounters) as (keyof Counters)[];

/** Adds up figures counter by counter. */
export function sumCounters(all: Iterable<Counters>): Counters {
  const sum: Record<keyof Counters, number> = { ...noCounters };
  for (const one of all) for (const name of names) sum[name] += one[name];
  return sum;
}
