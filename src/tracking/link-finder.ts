import { LRUCache } from 'lru-cache';
import { type HitKind, hitKinds } from '../activity/hit.ts';
import type { TrackedUrl } from '../campaigns/tracked-link.ts';
import { linksBeside } from '../campaigns/tracked-link-store.ts';
import type { App } from '../platform/app.ts';
import { keptIn } from '../platform/remembered.ts';
import { within } from '../platform/within.ts';
import { hasTags, redirectAddress } from './redirect-address.ts';

/** The parts of a tracked link that a click needs. */
export interface LinkTarget {
  /** The stored address, which may contain tags. */
  readonly url: string;
  /** The address of the redirect. Undefined if there is none, or if its tags are filled for each reader. */
  readonly location: string | undefined;
  readonly kind: HitKind;
}

/** Maximum number of links in memory; about 300 bytes each for a usual address. */
export const maxLinks = 50_000;
/** Maximum total length of their addresses in characters: a single address may have thousands. */
const maxCharacters = 30_000_000;
/**
 * Maximum number of links that are read with one of their campaign: more than a message has, but campaigns may be
 * rewritten often.
 */
export const linksOfOne = 200;
/** Age at which a link is read again, so that a changed kind is noticed. */
const freshMs = 60_000;
/** Time that a click on a known but old link waits for the database. */
const refreshTimeoutMs = 1_000;
/** Time that a click on an unknown link waits for the database. */
const readTimeoutMs = 3_000;
/** Pause after a failed read of a known link, in which clicks do not wait for the database. */
const pauseMs = 10_000;

interface Known {
  readonly link: LinkTarget | undefined;
  readonly readAtMs: number;
}

/**
 * Finds the addresses of tracked links and remembers them, so that clicks are answered while the database is
 * unavailable, with what was known last. Links are read by campaign: a click on one is soon followed by clicks on
 * others.
 */
export class LinkFinder {
  readonly #app: App;
  readonly #known = new LRUCache<string, Known>({
    max: maxLinks,
    maxSize: maxCharacters,
    sizeCalculation: ({ link }) => 1 + (link?.url.length ?? 0) + (link?.location?.length ?? 0),
  });
  /** Running reads by link: concurrent clicks on a link share one. */
  readonly #reading = new Map<string, Promise<LinkTarget | undefined>>();
  #askAgainAtMs = 0;

  constructor(app: App) {
    this.#app = app;
  }

  /** The link if it is known and fresh; saves the fast path a promise. */
  fresh(idSite: number, idLink: number, nowMs: number): LinkTarget | undefined {
    const known = this.#known.get(keyOf(idSite, idLink));
    return known && nowMs - known.readAtMs < freshMs ? known.link : undefined;
  }

  /** The link; undefined if there is none. Rejects if the database is unavailable and the link was never read. */
  async find(idSite: number, idLink: number, nowMs: number): Promise<LinkTarget | undefined> {
    const key = keyOf(idSite, idLink);
    const known = this.#known.get(key);
    if (!known) return this.#read(idSite, idLink, nowMs);
    if (nowMs - known.readAtMs < freshMs || nowMs < this.#askAgainAtMs) return known.link;
    try {
      return await within('The database', refreshTimeoutMs, this.#read(idSite, idLink, nowMs));
    } catch {
      this.#askAgainAtMs = nowMs + pauseMs;
      return known.link;
    }
  }

  /** Remembers links that were just read. */
  learn(idSite: number, links: readonly TrackedUrl[], nowMs: number): void {
    for (const link of links)
      this.#known.set(keyOf(idSite, link.id), { link: targetOf(link), readAtMs: nowMs });
  }

  #read(idSite: number, idLink: number, nowMs: number): Promise<LinkTarget | undefined> {
    const key = keyOf(idSite, idLink);
    return keptIn(this.#reading, key, () =>
      within('The database', readTimeoutMs, this.#readCampaign(idSite, idLink, nowMs)).finally(() =>
        this.#reading.delete(key),
      ),
    );
  }

  async #readCampaign(idSite: number, idLink: number, nowMs: number): Promise<LinkTarget | undefined> {
    const db = await this.#app.siteById(idSite);
    const links = db ? await linksBeside(db, idLink, linksOfOne) : [];
    this.learn(idSite, links, nowMs);
    const link = links.find(({ id }) => id === idLink);
    if (link) return targetOf(link);
    this.#known.set(keyOf(idSite, idLink), { link: undefined, readAtMs: nowMs });
    return undefined;
  }
}

const keyOf = (idSite: number, idLink: number) => `${idSite} ${idLink}`;

function targetOf(link: TrackedUrl): LinkTarget {
  const { url } = link;
  return { url, location: hasTags(url) ? undefined : redirectAddress(url), kind: kindOf(link) };
}

function kindOf({ origin, parameters }: TrackedUrl): HitKind {
  if (parameters.isUnsubscriptionUrl) return hitKinds.unsubscription;
  if (parameters.isMirrorUrl) return hitKinds.mirror;
  return origin === 'advertisement' ? hitKinds.advertisement : hitKinds.editorial;
}
