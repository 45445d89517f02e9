import { LRUCache } from 'lru-cache';
import { listSites } from '../accounts/site-store.ts';
import { linksOfCampaigns } from '../campaigns/tracked-link-store.ts';
import type { App } from '../platform/app.ts';
import { isConnectionLost } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { campaignsGenerated, findJob, type GeneratedCampaign, offeredJobs } from '../sending/job-store.ts';
import { jobOfSent } from '../sending/sent-store.ts';
import { type LinkFinder, linksOfOne, maxLinks } from './link-finder.ts';

/** Whose links are read at the start: sendings of so long ago are still opened. */
const recentMs = 30 * 86_400_000;
/** What the start reads at most; the rest is left to links of older sendings that are clicked. */
const maxPrefetched = maxLinks * 0.8;
/** Campaigns of one site that the start looks at. */
const maxOfSite = 200;
/** Campaigns that are read together: some hundreds of links, so that hits are answered in between. */
const atOnce = 10;
/** How often new jobs are looked for, and sendings that were opened are read. */
const lookEveryMs = 2_000;
/** So many looks from one walk over all sites to the next: 10 minutes, and a minute when one failed. */
const looksToWalk = 300;
const looksToRetry = 30;
/** A walk goes back so far before the last one: a job may be generated an hour after its time. */
const overlapMs = 2 * 3_600_000;
/** Opened sendings that wait to be read. */
const maxPending = 1_000;
const notRead = 'links could not be read ahead of clicks';

interface Found extends GeneratedCampaign {
  readonly db: SiteDb;
}

/**
 * Reads the links of what was sent before anybody clicks on them, so that a click is answered even when the database
 * goes away: at the start those of the sendings of the last 30 days, the newest first; then those of new jobs and of
 * older sendings that are opened. One statement at a time, on one connection, none of them on a hit's way. Nothing
 * hangs on it: what it does not know the first click reads.
 *
 * Idle, it asks one question of the control tables every 2 s, and one of every site every 10 minutes.
 */
export class LinkPrefetch {
  readonly #app: App;
  readonly #links: LinkFinder;
  /** The job up to which a campaign's links were read. */
  readonly #read = new LRUCache<string, number>({ max: 20_000 });
  /** Sents that were opened: those whose links were read, and those that wait. */
  readonly #sents = new LRUCache<number, true>({ max: 20_000 });
  readonly #pending = new Set<number>();
  /** Jobs with work that were looked at. */
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

  /** A sent's message was opened: its links will be read, unless they were. */
  saw(idSite: number, idSent: number): void {
    const key = idSite * sentsOfSite + idSent;
    if (this.#sents.get(key) === undefined && this.#pending.size < maxPending) this.#pending.add(key);
  }

  /** What is being read is not waited for. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #goOnAfter(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#look()
        .then(
          () => {
            this.#isFailing = false;
          },
          (error) => this.#complain(error),
        )
        .finally(() => this.#goOnAfter(lookEveryMs));
    }, ms).unref();
  }

  /** Once, however long the database is unavailable. */
  #complain(error: unknown): void {
    if (!this.#isFailing && !this.#isClosed) this.#app.log.warn({ err: error }, notRead);
    this.#isFailing = true;
  }

  async #look(): Promise<void> {
    if (this.#looksToWalk > 0) this.#looksToWalk--;
    else await this.#walk();
    await this.#readOffered();
    await this.#readOpened();
  }

  /** Reads the links of what all sites sent since the last walk. */
  async #walk(): Promise<void> {
    const at = this.#app.clock.now();
    const since = new Date(this.#walkedTo ? this.#walkedTo.getTime() - overlapMs : at.getTime() - recentMs);
    const found: Found[] = [];
    let failed = 0;
    for (const { id } of await listSites(this.#app.control)) {
      if (this.#isClosed) return;
      // A site that cannot be read must not keep the others from being known.
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
      this.#app.log.info({ campaigns: found.length, links }, 'links of recent sents are known');
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
      for (const one of found.slice(from, from + atOnce)) {
        bySite.set(one.db, [...(bySite.get(one.db) ?? []), one]);
      }
      for (const [db, some] of bySite) {
        if (this.#isClosed) return links;
        links += await this.#readLinks(db, some);
      }
    }
    return links;
  }

  /** Reads the links of jobs that are being sent; each once. */
  async #readOffered(): Promise<void> {
    const offered = await offeredJobs(this.#app.control);
    const seen = new Set<string>();
    for (const { idSite, idJob } of offered) {
      if (this.#isClosed) return;
      const key = `${idSite} ${idJob}`;
      seen.add(key);
      if (this.#jobs.has(key)) continue;
      // Before it is read: one that cannot be must not keep the others from it, look after look.
      this.#jobs.add(key);
      await this.#readJob(idSite, idJob);
    }
    this.#jobs = seen;
  }

  async #readJob(idSite: number, idJob: number): Promise<void> {
    const db = await this.#app.siteById(idSite);
    const job = db && (await findJob(db, idJob));
    if (job) await this.#readUnlessKnown(db, { idCampaign: job.idCampaign, idJob });
  }

  async #readOpened(): Promise<void> {
    for (const key of this.#pending) {
      if (this.#isClosed) return;
      // Before it is read, as above: the next opening brings it back.
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

/** A campaign, and the job up to which its links are read. */
type Read = Pick<GeneratedCampaign, 'idCampaign' | 'idJob'>;

/**
 * Ids of sendings are below this: with a site's they make one number, which is looked up faster than a text is made.
 */
const sentsOfSite = 2 ** 32;
