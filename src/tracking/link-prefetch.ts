import { LRUCache } from 'lru-cache';
import { listSites } from '../accounts/site-store.ts';
import { linksOfCampaigns } from '../campaigns/tracked-link-store.ts';
import type { App } from '../platform/app.ts';
import { isConnectionLost } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { keptIn } from '../platform/remembered.ts';
import { campaignsGenerated, findJob, type GeneratedCampaign, offeredJobs } from '../sending/job-store.ts';
import { jobOfSent } from '../sending/sent-store.ts';
import { type LinkFinder, linksOfOne, maxLinks } from './link-finder.ts';

/** The start reads the links of sendings of this period, which are still opened. */
const recentMs = 30 * 86_400_000;
/** Maximum number of links that the start reads; the rest is for links of older sendings that are clicked. */
const maxPrefetched = maxLinks * 0.8;
/** Maximum number of campaigns of one site that the start reads. */
const maxOfSite = 200;
/** Campaigns that are read together: a few hundred links, so that hits are answered in between. */
const atOnce = 10;
/** Interval of looking for new jobs and opened sendings. */
const lookEveryMs = 2_000;
/** Number of intervals between two walks over all sites: 10 minutes, and a minute after a failure. */
const looksToWalk = 300;
const looksToRetry = 30;
/** Overlap of a walk with the last one: a job may be generated an hour after its time. */
const overlapMs = 2 * 3_600_000;
/** Maximum number of opened sendings that wait to be read. */
const maxPending = 1_000;
const notRead = 'links could not be read ahead of clicks';

interface Found extends GeneratedCampaign {
  readonly db: SiteDb;
}

/**
 * Reads links before the first click on them, so that a click is answered even while the database is unavailable. At
 * the start these are the links of the last 30 days, newest first; then those of new jobs and of older sendings that
 * are opened. It runs one statement at a time on one connection, and no hit waits for it. A link that it does not know
 * is read at its first click.
 * When idle, it queries the control tables every 2 s, and every site every 10 minutes.
 */
export class LinkPrefetch {
  readonly #app: App;
  readonly #links: LinkFinder;
  /** The last job of each campaign whose links were read. */
  readonly #read = new LRUCache<string, number>({ max: 20_000 });
  /** Opened sendings whose links were read; the pending ones wait. */
  readonly #sents = new LRUCache<number, true>({ max: 20_000 });
  readonly #pending = new Set<number>();
  /** Running jobs whose links were read. */
  #jobs = new Set<string>();
  #walkedTo: Date | undefined;
  #looksToWalk = 0;
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;
  #isClosed = false;

  constructor(app: App, links: LinkFinder) {
    this.#app = app;
    this.#links = links;
    this.#goOnAfter(0);
  }

  /** Notes that a message was opened: the links of its sending are read, unless they were. */
  saw(idSite: number, idSent: number): void {
    const key = idSite * sentsOfSite + idSent;
    if (this.#sents.get(key) === undefined && this.#pending.size < maxPending) this.#pending.add(key);
  }

  /** Stops, without waiting for a running read. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #goOnAfter(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      void this.#look().finally(() => this.#goOnAfter(lookEveryMs));
    }, ms).unref();
  }

  async #look(): Promise<void> {
    try {
      if (this.#looksToWalk > 0) this.#looksToWalk--;
      else await this.#walk();
      await this.#readOffered();
      await this.#readOpened();
      this.#isFailing = false;
    } catch (error) {
      // Logged once, however long the database is unavailable.
      if (!this.#isFailing && !this.#isClosed) this.#app.log.warn({ err: error }, notRead);
      this.#isFailing = true;
    }
  }

  /** Reads the links of everything that all sites sent since the last walk. */
  async #walk(): Promise<void> {
    const at = this.#app.clock.now();
    const since = new Date(this.#walkedTo ? this.#walkedTo.getTime() - overlapMs : at.getTime() - recentMs);
    const found: Found[] = [];
    let failed = 0;
    for (const { id } of await listSites(this.#app.control)) {
      if (this.#isClosed) return;
      // A site that cannot be read must not block the others.
      const ofSite = await this.#foundOn(id, since).catch((error) => {
        if (isConnectionLost(error)) throw error;
        this.#app.log.warn({ err: error, idSite: id }, notRead);
        failed++;
        return [];
      });
      found.push(...ofSite);
    }
    found.sort((one, other) => other.scheduledAt.getTime() - one.scheduledAt.getTime());
    const links = await this.#readAll(found);
    if (this.#isClosed) return;
    this.#looksToWalk = failed > 0 ? looksToRetry : looksToWalk;
    if (failed > 0) return;
    if (!this.#walkedTo)
      this.#app.log.info({ campaigns: found.length, links }, 'links of recent sendings are known');
    this.#walkedTo = at;
  }

  async #foundOn(idSite: number, since: Date): Promise<Found[]> {
    const db = await this.#app.siteById(idSite);
    if (!db) return [];
    const campaigns = await campaignsGenerated(db, since, maxOfSite);
    return campaigns.map((one) => ({ ...one, db })).filter((one) => !this.#isRead(one));
  }

  async #readAll(found: readonly Found[]): Promise<number> {
    let links = 0;
    for (let from = 0; from < found.length && links < maxPrefetched; from += atOnce) {
      const bySite = new Map<SiteDb, Found[]>();
      for (const one of found.slice(from, from + atOnce)) keptIn(bySite, one.db, () => []).push(one);
      for (const [db, some] of bySite) {
        if (this.#isClosed) return links;
        links += await this.#readLinks(db, some);
      }
    }
    return links;
  }

  /** Reads the links of running jobs, once each. */
  async #readOffered(): Promise<void> {
    const offered = await offeredJobs(this.#app.control);
    const seen = new Set<string>();
    for (const { idSite, idJob } of offered) {
      if (this.#isClosed) return;
      const key = `${idSite} ${idJob}`;
      seen.add(key);
      if (this.#jobs.has(key)) continue;
      // Before the read: a job that cannot be read must not block the others at every interval.
      this.#jobs.add(key);
      const db = await this.#app.siteById(idSite);
      const job = db && (await findJob(db, idJob));
      if (job) await this.#readUnlessKnown(db, { idCampaign: job.idCampaign, idJob });
    }
    this.#jobs = seen;
  }

  async #readOpened(): Promise<void> {
    for (const key of this.#pending) {
      if (this.#isClosed) return;
      // Before the read, as above: the next open adds it again.
      this.#pending.delete(key);
      const [idSite, idSent] = [Math.floor(key / sentsOfSite), key % sentsOfSite];
      const db = await this.#app.siteById(idSite);
      const job = db && (await jobOfSent(db, idSent));
      if (job) await this.#readUnlessKnown(db, job);
      this.#sents.set(key, true);
    }
  }

  async #readUnlessKnown(db: SiteDb, one: Read): Promise<void> {
    if (!this.#isRead({ ...one, db })) await this.#readLinks(db, [one]);
  }

  #isRead({ db, idCampaign, idJob }: Read & { readonly db: SiteDb }): boolean {
    return (this.#read.get(`${db.site.id} ${idCampaign}`) ?? 0) >= idJob;
  }

  async #readLinks(db: SiteDb, some: readonly Read[]): Promise<number> {
    const at = this.#app.clock.now();
    const ids = some.map((one) => one.idCampaign);
    const links = await linksOfCampaigns(db, ids, linksOfOne);
    this.#links.learn(db.site.id, links, at.getTime());
    for (const { idCampaign, idJob } of some) this.#read.set(`${db.site.id} ${idCampaign}`, idJob);
    const site = db.site.name;
    this.#app.log.debug({ site, campaigns: ids, links: links.length }, 'links read ahead of clicks');
    return links.length;
  }
}

type Read = Pick<GeneratedCampaign, 'idCampaign' | 'idJob'>;

/** Ids of sendings are below this. With a site's id they form one number, which is looked up faster than a text. */
const sentsOfSite = 2 ** 32;
