import { LRUCache } from 'lru-cache';
import { type HitKind, hitKinds } from '../activity/hit.ts';
import type { TrackedUrl } from '../campaigns/tracked-link.ts';
import { linksBeside } from '../campaigns/tracked-link-store.ts';
import type { App } from '../platform/app.ts';
import { within } from '../platform/within.ts';
import { hasTags, redirectAddress } from './redirect-address.ts';

/** What a click needs to know of a tracked link. */
export interface LinkTarget {
  /** As stored; may hold tags. */
  readonly url: string;
  /** Where the redirect leads. Undefined: nowhere, or to an address with tags, which each reader has filled. */
  readonly location: string | undefined;
  readonly kind: HitKind;
}

/** Links in memory; some 300 bytes each, for addresses of a usual length. */
export const maxLinks = 50_000;
/** What their addresses may take in total, in characters: an address may have thousands of them. */
const maxCharacters = 30_000_000;
/** Links that are read with one of their campaign; more than a message has, but campaigns may be rewritten often. */
export const linksOfOne = 200;
/** A link is requested again after this, so that a changed kind is noticed. */
const freshMs = 60_000;
/** So long a click on a link that is known, but not fresh, waits to learn of a change. */
const refreshTimeoutMs = 1_000;
/** So long a click on a link that is not known waits for the database. */
const readTimeoutMs = 3_000;
/** When a known link could not be read again, none is before this: who clicks meanwhile does not wait. */
const pauseMs = 10_000;

interface Known {
  /** Undefined: there is no such link. */
  readonly link: LinkTarget | undefined;
  readonly readAtMs: number;
}

/**
 * Finds the addresses of tracked links and remembers them, so that clicks are answered while the database is
 * unavailable. It then says what it knew last. Links are read by the campaign: who clicks on one will soon click on
 * another.
 */
export class LinkFinder {
  readonly #app: App;
  readonly #known = new LRUCache<string, Known>({
    max: maxLinks,
    maxSize: maxCharacters,
    sizeCalculation: ({ link }) => 1 + (link?.url.length ?? 0) + (link?.location?.length ?? 0),
  });
  /** What is being read, by link: many clicks at once on a link ask once. */
  readonly #reading = new Map<string, Promise<LinkTarget | undefined>>();
  #askAgainAtMs = 0;

  constructor(app: App) {
    this.#app = app;
  }

  /** The link when it is known and fresh: spares the fast path a promise. */
  fresh(idSite: number, idLink: number, nowMs: number): LinkTarget | undefined {
    const known = this.#known.get(keyOf(idSite, idLink));
    return known && nowMs - known.readAtMs < freshMs ? known.link : undefined;
  }

  /**
   * The link, or undefined when there is none. Rejects when the database is unavailable and the link was never read.
   */
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

  /** Remembers links that were read just now. */
  learn(idSite: number, links: readonly TrackedUrl[], nowMs: number): void {
    for (const link of links)
      this.#known.set(keyOf(idSite, link.id), { link: targetOf(link), readAtMs: nowMs });
  }

  #read(idSite: number, idLink: number, nowMs: number): Promise<LinkTarget | undefined> {
    const key = keyOf(idSite, idLink);
    const inFlight = this.#reading.get(key);
    if (inFlight) return inFlight;
    const reading = within('The database', readTimeoutMs, this.#readCampaign(idSite, idLink, nowMs)).finally(
      () => this.#reading.delete(key),
    );
    this.#reading.set(key, reading);
    return reading;
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
