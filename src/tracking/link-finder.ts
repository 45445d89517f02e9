import { LRUCache } from 'lru-cache';
import { type HitKind, hitKinds } from '../activity/hit.ts';
import type { TrackedUrl } from '../campaigns/tracked-link.ts';
import { findLink } from '../campaigns/tracked-link-store.ts';
import type { App } from '../platform/app.ts';
import { hasTags, redirectAddress } from './redirect-address.ts';

/** What a click needs to know of a tracked link. */
export interface LinkTarget {
  /** As stored; may hold tags. */
  readonly url: string;
  /** Where the redirect leads. Undefined: nowhere, or to an address with tags, which each reader has filled. */
  readonly location: string | undefined;
  readonly kind: HitKind;
}

/** Links in memory; some 200 bytes each. */
const maxLinks = 50_000;
/** A link is asked for again after this, so that a changed kind is noticed. */
const freshMs = 60_000;

interface Known {
  /** Undefined: there is no such link. */
  readonly link: LinkTarget | undefined;
  readonly readAtMs: number;
}

/**
 * Finds the addresses of tracked links and remembers them, so that clicks are answered while the database is away. It
 * then says what it knew last.
 */
export class LinkFinder {
  readonly #app: App;
  readonly #known = new LRUCache<string, Known>({ max: maxLinks });

  constructor(app: App) {
    this.#app = app;
  }

  /** The link when it is known and fresh: spares the fast path a promise. */
  fresh(idSite: number, idLink: number, nowMs: number): LinkTarget | undefined {
    const known = this.#known.get(`${idSite} ${idLink}`);
    return known && nowMs - known.readAtMs < freshMs ? known.link : undefined;
  }

  /** The link, or undefined when there is none. Rejects when the database is away and the link was never read. */
  async find(idSite: number, idLink: number, nowMs: number): Promise<LinkTarget | undefined> {
    const key = `${idSite} ${idLink}`;
    const known = this.#known.get(key);
    if (known && nowMs - known.readAtMs < freshMs) return known.link;
    try {
      const link = await this.#read(idSite, idLink);
      this.#known.set(key, { link, readAtMs: nowMs });
      return link;
    } catch (error) {
      if (known) return known.link;
      throw error;
    }
  }

  async #read(idSite: number, idLink: number): Promise<LinkTarget | undefined> {
    const db = await this.#app.siteById(idSite);
    const link = db && (await findLink(db, idLink));
    if (!link) return undefined;
    const { url } = link;
    return { url, location: hasTags(url) ? undefined : redirectAddress(url), kind: kindOf(link) };
  }
}

function kindOf({ origin, parameters }: TrackedUrl): HitKind {
  if (parameters.isUnsubscriptionUrl) return hitKinds.unsubscription;
  if (parameters.isMirrorUrl) return hitKinds.mirror;
  return origin === 'advertisement' ? hitKinds.advertisement : hitKinds.editorial;
}
