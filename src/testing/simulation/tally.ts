import { type Act, type Agent, type Report, reports, type Story } from './plan.ts';

/** The devices that are counted; `all` is everything. */
export type Device = 'all' | 'mobile' | 'desktop';

const deviceOf = (by: Agent): Device => (by === 'phone' ? 'mobile' : 'desktop');
const isMachine = (by: Agent) => by === 'privacyProxy' || by === 'scanner';

/**
 * The test's own counters of some messages, by the names of a campaign's statistics. They are counted one message
 * after the other from what was done, by the words of the decisions and not by the program's SQL.
 */
export class Tally {
  readonly figures: Record<string, number> = {};
  /** How many recipients have a report with a status code. */
  readonly statuses = new Map<string, number>();
  readonly #device: Device;

  constructor(device: Device = 'all') {
    this.#device = device;
    for (const name of names) this.figures[name] = 0;
  }

  /** Counts one message. */
  add({ answer, acts, report }: Story): void {
    this.#count('nbAddressToSend', 1);
    if (answer !== 'refused') this.#count('nbAddressSent', 1);
    if (answer === 'noMailbox') this.#bounce('hard');
    if (report) this.#bounce(report);
    // A complaint unsubscribes as well.
    const isLeaving = report === 'complaint' || acts.some(({ kind }) => kind === 'unsubscribe');
    this.#count('nbUnsubs', Number(isLeaving));
    this.#count('nbGodsons', acts.filter(({ kind }) => kind === 'forward').length);
    this.#hits(acts);
  }

  #count(name: string, by: number): void {
    this.figures[name] = this.figures[name]! + by;
  }

  /** Counts events of a kind of one reader. */
  #events(events: string, people: string, count: number): void {
    this.#count(events, count);
    this.#count(people, Number(count > 0));
  }

  #bounce(report: Report): void {
    if (report === 'complaint') {
      this.#count('nbSpamComplaints', 1);
      return;
    }
    this.#count(bounceNames[report], 1);
    this.#count('nbTotalBounces', 1);
    if (report === 'autoReply') return;
    const { status } = reports[report];
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }

  #hits(acts: readonly Act[]): void {
    const seen = acts.filter((act) => 'by' in act && this.#isOf(act.by));
    const clicks = seen.filter((act) => act.kind === 'click');
    const opens = seen.filter((act) => act.kind === 'open');
    const byPeople = (some: readonly Act[]) => some.filter((act) => 'by' in act && !isMachine(act.by));
    const viral = seen.filter(({ kind }) => kind === 'friendClick');
    // A reader who clicks without an open has opened once; a friend's click counts for the forwarder.
    const openings = (some: readonly Act[], clicked: readonly Act[]) =>
      some.length || Math.min(clicked.length, 1);
    const following = [...clicks, ...viral];
    this.#events('nbOpenings', 'nbOpeners', openings(opens, following));
    const human = openings(byPeople(opens), byPeople(following));
    this.#events('nbHumanOpenings', 'nbHumanOpeners', human);
    this.#events('nbViralClicks', 'nbViralClickers', viral.length);
    this.#events('nbClicks', 'nbClickers', following.length);
    const of = (...links: readonly string[]) => clicks.filter(({ link }) => links.includes(link)).length;
    this.#events('nbEditoClicks', 'nbEditoClickers', of('first', 'second'));
    this.#events('nbAdClicks', 'nbAdClickers', of('advertisement'));
    this.#events('nbMirrorClicks', 'nbMirrorClickers', of('mirror'));
    this.#events('nbUnsubClicks', 'nbUnsubClickers', of('unsubscription'));
    this.#count('nbContentClickers', Number(of('first', 'second', 'advertisement') > 0));
  }

  #isOf(by: Agent): boolean {
    return this.#device === 'all' || this.#device === deviceOf(by);
  }

  get nbDelivered(): number {
    const f = this.figures;
    return f.nbAddressSent! - f.nbHardBounces! - f.nbSoftBounces! - f.nbDnsErrorsBounces! - f.nbSpamBounces!;
  }

  /** The most frequent status code and how many recipients have it. */
  get dsn(): { readonly dsn: string; readonly dsnCount: number } {
    const [first] = [...this.statuses].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
    return { dsn: first?.[0] ?? '', dsnCount: first?.[1] ?? 0 };
  }
}

const bounceNames = {
  hard: 'nbHardBounces',
  soft: 'nbSoftBounces',
  dns: 'nbDnsErrorsBounces',
  spam: 'nbSpamBounces',
  autoReply: 'nbAutoRespondersBounces',
} as const;

const kinds = ['', 'Edito', 'Ad', 'Mirror', 'Unsub', 'Viral'];
const names = [
  ...['nbAddressToSend', 'nbAddressSent', 'nbOpenings', 'nbOpeners', 'nbHumanOpenings', 'nbHumanOpeners'],
  ...kinds.flatMap((kind) => [`nb${kind}Clicks`, `nb${kind}Clickers`]),
  ...['nbContentClickers', 'nbUnsubs', 'nbGodsons', 'nbTotalBounces', 'nbSpamComplaints'],
  ...Object.values(bounceNames),
];

/** The expected values of a record of the document: some of the tally's figures, by the record's names. */
const only = (tally: Tally, all: readonly string[]) =>
  Object.fromEntries(all.map((name) => [name, tally.figures[name]!]));

const shared = names.filter((name) => !['nbContentClickers', 'nbViralClickers', 'nbGodsons'].includes(name));

/** The figures of a campaign's statistics. */
export const ofCampaign = (tally: Tally) => only(tally, [...shared, 'nbGodsons']);

/** The figures of a line of the list of jobs. */
export const ofJob = (tally: Tally) =>
  only(
    tally,
    shared.filter((name) => name !== 'nbViralClicks'),
  );

/** The figures of a provider's record. */
export function ofProvider(tally: Tally): Record<string, unknown> {
  const { nbTotalBounces, nbGodsons, ...figures } = tally.figures;
  return { ...figures, nbBounces: nbTotalBounces, nbDelivered: tally.nbDelivered, ...tally.dsn };
}

/** The figures of a sending's record, the ones of several sendings among them. */
export function ofSending(tally: Tally): Record<string, number> {
  const f = tally.figures as Record<string, number>;
  const rate = (clickers: number) => (f.nbOpeners! > 0 ? (clickers / f.nbOpeners!) * 100 : 0);
  const own: Record<string, number> = {
    ...only(tally, ['nbAddressToSend', 'nbAddressSent', 'nbOpeners', 'nbOpenings', 'nbGodsons']),
    ...only(tally, ['nbHardBounces', 'nbSoftBounces', 'nbSpamBounces', 'nbSpamComplaints', 'nbUnsubs']),
    nbNetworkBounces: f.nbDnsErrorsBounces!,
    nbResponseBounces: f.nbAutoRespondersBounces!,
  };
  const suffixes = { Edito: 'Edito', Ad: 'Pub', Mirror: 'Mirror', Unsub: 'Unsub', Viral: 'Viral', '': '' };
  for (const [kind, suffix] of Object.entries(suffixes)) {
    own[`nbClicks${suffix}`] = f[`nb${kind}Clicks`]!;
    own[`nbClickers${suffix}`] = f[`nb${kind}Clickers`]!;
    own[`reac${suffix}`] = rate(f[`nb${kind}Clickers`]!);
  }
  return own;
}

/** The figures of a sending, as the lists of a campaign's and a job's sendings show it. */
export function ofSent(tally: Tally): Record<string, number | undefined> {
  const f = tally.figures;
  return {
    ...only(tally, ['nbAddressToSend', 'nbAddressSent', 'nbOpenings', 'nbOpeners', 'nbUnsubs']),
    ...only(tally, ['nbHardBounces', 'nbSoftBounces']),
    nbAutoResponders: f.nbAutoRespondersBounces,
    nbDnsErrors: f.nbDnsErrorsBounces,
    nbSpam: f.nbSpamBounces,
  };
}
