import { setTimeout as sleep } from 'node:timers/promises';
import { countersOfSents, humanClickersOf } from '../../activity/counter-store.ts';
import { noCounters } from '../../activity/counters.ts';
import { Suspensions } from '../../alerts/suspensions.ts';
import type { AbTestType } from '../../campaigns/ab-test.ts';
import { type SmtpTimeouts, standardTimeouts } from '../../mail/outcome.ts';
import type { App } from '../../platform/app.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { nameOfProcess } from '../../platform/process-name.ts';
import { within } from '../../platform/within.ts';
import { type Choice, chooseWinner, type VariantResult, winnerAfterMs, withRemainder } from '../ab-test.ts';
import { decide, hasUntried, lockDueTest, setDue } from '../ab-test-store.ts';
import { isFinal } from '../job.ts';
import { JobMessages } from '../job-messages.ts';
import {
  frozenJob,
  isByRelay,
  jobBucket,
  listenForJobs,
  offeredJobs,
  offerJob,
  reportHindrance,
  withdrawJob,
} from '../job-store.ts';
import { sitesWithSingles } from '../single-message-store.ts';
import { endDemand, freeSlots } from './connection-permits.ts';
import type { EngineParts } from './engine-parts.ts';
import { cancelSome, finishJob, resultOfJob } from './finish.ts';
import { GroupCommit } from './group-commit.ts';
import { endIfLate, noteRelays } from './halt-job.ts';
import { JobRun } from './job-run.ts';
import { findWork } from './lease.ts';
import { ProgressWatch, standardWatch, type WatchTimes } from './progress-watch.ts';
import { Providers } from './providers.ts';
import type { RangeRun } from './range-run.ts';
import { ProviderPauses, RateLimits } from './rate-limit.ts';
import { type RetryPolicy, standardRetry } from './retry.ts';
import { JobRelays, RoutePools, type SiteRoutes, siteRoutesOf } from './route-pools.ts';
import { SingleRun } from './single-run.ts';

/** How an engine works. Every option defaults to the value that the service uses. */
export interface EngineOptions {
  /** The port of our own SMTP listener; the configured one if omitted. */
  readonly mailboxPort?: number;
  /** Seconds that a range is held without a commit; another process may take it after that. */
  readonly leaseS?: number;
  readonly pollMs?: number;
  readonly retry?: RetryPolicy;
  readonly watch?: WatchTimes;
  /** Milliseconds that a graceful stop waits for the replies to messages running; 60,000 if omitted. */
  readonly graceMs?: number;
  /** How long relays may take to answer; those of RFC 5321 if omitted. */
  readonly timeouts?: SmtpTimeouts;
  /**
   * Asked before a job is begun and, while jobs are at work, every few seconds. False: nothing may be sent, and every
   * job has been paused. A throw: nothing is begun now.
   */
  readonly mayGoOn?: () => Promise<boolean>;
}

/** How long a graceful stop waits for replies; `docs/operations.md` promises a minute. */
export const standardGraceMs = 60_000;

interface Running {
  readonly job: JobRun;
  readonly relays: JobRelays;
}

interface RunningSingles {
  readonly run: SingleRun;
  readonly relays: JobRelays;
}

/** How long a stop waits for the database, twice at most. */
const answerMs = 5_000;
/**
 * Jobs at work at a time, over all sites and for one; each keeps its contents in memory. The others wait, oldest
 * first. A site without a job at work may begin one beyond the first bound: relays of some sites that are
 * unavailable, for which their jobs wait for hours, must not keep the other sites from sending.
 */
const maxJobs = 32;
const maxJobsOfSite = 8;
const maxSites = 500;
/** Connection slots are renewed with every second poll; those on the move between processes with every poll. */
const slotsEvery = 2;
/** Routes are read again with every fifth poll. */
const routesEvery = 5;

/**
 * Sends what jobs have frozen: finds jobs with work over all sites, runs them side by side on the routes' connections,
 * and ends them. Any number of processes may run one; what is guaranteed, and how, is in ../README.md.
 */
export class SendingEngine {
  readonly #parts: EngineParts;
  readonly #mailboxPort: number;
  readonly #pollMs: number;
  readonly #graceMs: number;
  readonly #mayGoOn: () => Promise<boolean>;
  readonly #watchTimes: WatchTimes;
  readonly #timeouts: SmtpTimeouts;
  #watch: ProgressWatch | undefined;
  readonly #jobs = new Map<string, Running>();
  /** By site. */
  readonly #singles = new Map<number, RunningSingles>();
  readonly #pools: RoutePools;
  readonly #commits = new Map<number, GroupCommit>();
  readonly #end = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #listening: Promise<void> = Promise.resolve();
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #routesAt = Number.NEGATIVE_INFINITY;
  #slotsAt = Number.NEGATIVE_INFINITY;
  #renewals: Promise<unknown> = Promise.resolve();

  constructor(app: App, options: EngineOptions = {}) {
    const owner = nameOfProcess();
    this.#parts = {
      app,
      holder: { owner, leaseS: options.leaseS ?? 20 },
      limits: new RateLimits(app.control),
      providers: new Providers(app.control, owner, (error, what) => this.#complain(what)(error)),
      pauses: new ProviderPauses(),
      suspensions: new Suspensions(app),
      retry: options.retry ?? standardRetry,
    };
    this.#pools = new RoutePools(this.#parts);
    this.#mailboxPort = options.mailboxPort ?? app.config.smtpPort;
    this.#pollMs = options.pollMs ?? 1_000;
    this.#graceMs = options.graceMs ?? standardGraceMs;
    this.#timeouts = options.timeouts ?? standardTimeouts;
    this.#watchTimes = options.watch ?? standardWatch;
    this.#mayGoOn = options.mayGoOn ?? (async () => true);
  }

  /** Begins to look for work. */
  start(): void {
    this.#listening = listenForJobs(this.#parts.app.control, () => this.#nudged(), this.#end.signal);
    this.#timer = setInterval(() => this.#tick(), this.#pollMs);
    const routesOf = async (idSite: number) => {
      const { relays, mailbox } = await this.#routesOf(idSite);
      return relays.length > 0 ? relays : [mailbox];
    };
    const watched = { ...this.#parts, routesOf, hasRoomFor: (id: number) => this.#hasRoomFor(id) };
    this.#watch = new ProgressWatch(watched, this.#watchTimes);
    this.#nudged();
  }

  /**
   * Stops gracefully: begins nothing new, waits for the replies to messages running, and gives leases back so that
   * another process continues at once. Leases and slots are renewed in the meantime: if they ran out, the next holder
   * would report those messages as uncertain.
   */
  async stop(): Promise<void> {
    this.#end.abort();
    // Before anything that waits for the database: a message that starts now might not get its reply in time.
    const pools = this.#pools.all;
    for (const pool of pools) pool.close();
    for (const { job } of this.#jobs.values()) job.stop();
    const looks = [this.#watch?.stop(), this.#looking, this.#listening, ...this.#stopSingles()];
    await until(() => pools.every((pool) => pool.workers === 0), this.#graceMs);
    for (const pool of pools) pool.destroy();
    await until(() => pools.every((pool) => pool.workers === 0), 1_000);
    const commits = [...this.#commits.values(), ...[...this.#singles.values()].map(({ run }) => run.commit)];
    // Outcomes that are not written are uncertain to the next holder.
    await this.#inTime([...looks, ...commits.map((commit) => commit.idle())]);
    for (const { job } of this.#jobs.values()) job.stop();
    await until(() => [...this.#jobs.values()].every(({ job }) => job.isOver), 2_000);
    clearInterval(this.#timer);
    await this.#inTime([this.#renewals.then(() => this.#freeSlots())]);
  }

  async #freeSlots(): Promise<void> {
    const { app, holder } = this.#parts;
    await Promise.all([freeSlots(app.control, [holder.owner]), endDemand(app.control, [holder.owner])]);
  }

  /** A database that hangs must not hang us when we stop. */
  async #inTime(work: readonly (Promise<void> | undefined)[]): Promise<void> {
    await within('The database', answerMs, Promise.all(work)).catch(
      this.#complain('not all is written at the end'),
    );
  }

  #stopSingles(): Promise<void>[] {
    return [...this.#singles.values()].map(({ run }) => run.stop().catch(this.#complain('not given back')));
  }

  /** Also runs during a graceful stop, when it only renews what is held. */
  #tick(): void {
    for (const { job } of this.#jobs.values()) job.tick();
    this.#renewSlots();
    if (this.#end.signal.aborted) {
      for (const { run } of this.#singles.values())
        run.look().catch(this.#complain('single messages not kept'));
      return;
    }
    if (performance.now() - this.#routesAt > routesEvery * this.#pollMs) this.#renewRoutes();
    this.#pools.wake();
    this.#nudged();
  }

  #renewSlots(): void {
    const isDue = performance.now() - this.#slotsAt > slotsEvery * this.#pollMs;
    if (isDue) this.#slotsAt = performance.now();
    this.#renewals = Promise.all([
      this.#parts.providers.renewSlots(),
      this.#pools.renewSlots(isDue ? 'all' : 'unsettled').catch(this.#complain('slots not renewed')),
    ]);
  }

  #renewRoutes(): void {
    this.#routesAt = performance.now();
    if (this.#jobs.size + this.#singles.size > 0)
      this.#mayGoOn().catch(this.#complain('it cannot be marked that mail leaves'));
    this.#refreshRoutes().catch(this.#complain('routes cannot be read'));
    for (const { job, relays } of this.#jobs.values()) this.#noteRelaysOf(job, relays);
  }

  /**
   * What administration changed must reach jobs at work: a password that was mended helps those that wait for it,
   * nothing more leaves through a route that was deleted, and one that is new is used.
   */
  async #refreshRoutes(): Promise<void> {
    const sites = new Set([...this.#jobs.values()].map(({ job }) => job.db.site.id));
    for (const idSite of this.#singles.keys()) sites.add(idSite);
    for (const idSite of sites) {
      const routes = await this.#routesOf(idSite);
      if (this.#end.signal.aborted) return;
      for (const { job, relays } of this.#jobs.values())
        if (job.db.site.id === idSite) relays.use(job, this.#pools.of(routes, relays));
      const singles = this.#singles.get(idSite);
      singles?.relays.use(singles.run, this.#pools.of(routes, singles.relays));
    }
  }

  #noteRelaysOf({ db, idJob, suspension }: JobRun, { areReached, trouble }: JobRelays): void {
    const standing = { areReached, trouble, suspension };
    noteRelays(db, idJob, standing, this.#parts.app.clock.now()).catch(
      this.#complain('it cannot be noted how relays stand'),
    );
  }

  /** Looks for jobs, now or after the look that is running. */
  #nudged(): void {
    if (this.#end.signal.aborted) return;
    if (this.#looking) {
      this.#lookAgain = true;
      return;
    }
    this.#looking = this.#look()
      .catch(this.#complain('jobs cannot be looked for'))
      .finally(() => {
        this.#looking = undefined;
        if (!this.#lookAgain) return;
        this.#lookAgain = false;
        this.#nudged();
      });
  }

  #complain(what: string): (error: Error) => void {
    return (error) => this.#parts.app.log.warn({ err: error }, what);
  }

  async #look(): Promise<void> {
    await Promise.all([this.#parts.providers.refresh(), this.#parts.suspensions.refresh()]);
    for (const { idSite, idJob } of await offeredJobs(this.#parts.app.control)) {
      if (this.#end.signal.aborted) return;
      const db = await this.#parts.app.siteById(idSite);
      // One job that cannot be worked on must not hold up the others.
      if (db) await this.#lookAt(db, idJob).catch(this.#complain(`job ${idJob} cannot be worked on`));
    }
    for (const idSite of await sitesWithSingles(this.#parts.app.control)) {
      if (this.#end.signal.aborted) return;
      const db = await this.#parts.app.siteById(idSite);
      if (db) await this.#lookAtSingles(db).catch(this.#complain('single messages cannot be worked on'));
    }
  }

  async #lookAtSingles(db: SiteDb): Promise<void> {
    const known = this.#singles.get(db.site.id);
    if (known) return known.run.look();
    const run: SingleRun = new SingleRun(this.#parts, db, {
      mayGoOn: this.#mayGoOn,
      wake: () => this.#wokenSingles(run),
    });
    await run.look();
    if (run.isIdle) return;
    const routes = await this.#routesOf(db.site.id);
    if (this.#end.signal.aborted) return run.stop();
    const relays = new JobRelays(routes.relays.length > 0);
    this.#singles.set(db.site.id, { run, relays });
    relays.use(run, this.#pools.of(routes, relays));
    await relays.renewSlots();
  }

  #wokenSingles(run: SingleRun): void {
    const known = this.#singles.get(run.db.site.id);
    if (known?.run !== run) return;
    if (run.isIdle) {
      this.#singles.delete(run.db.site.id);
      known.relays.use(run, []);
      // More may be due than one run holds.
      this.#nudged();
    }
    known.relays.wake();
  }

  async #lookAt(db: SiteDb, idJob: number): Promise<void> {
    const at = this.#parts.app.clock.now();
    const found = await findWork(db, idJob, at);
    if (found?.isTesting && found.state === 'Sending') {
      // Beside the rest: variants with somebody to retry must not wait for a choice that fails.
      await this.#bringTestOn(db, idJob, found.dueAt, at).catch(this.#complain(`job ${idJob} has no winner`));
    }
    const running = this.#jobs.get(keyOf(db, idJob));
    if (running) {
      if (found) running.job.found(found);
      return;
    }
    if (!found) return withdrawJob(db, idJob);
    if (found.state === 'Sending') {
      if (found.isTakeable) return this.#hasRoomFor(db.site.id) ? this.#begin(db, idJob) : undefined;
      if (!found.isOpen && (await finishJob(db, idJob, at))) await this.#over(db, idJob);
      return;
    }
    if (found.state === 'Stopped' && !(await this.#isCancelled(db, idJob, at))) return;
    if (isFinal(found.state)) await this.#over(db, idJob);
  }

  /** Takes a stopped job a piece nearer to its end, and sees to it that the next one follows the other jobs' turn. */
  async #isCancelled(db: SiteDb, idJob: number, at: Date): Promise<boolean> {
    const { holder, providers } = this.#parts;
    const rest = await cancelSome(db, holder, idJob, providers.of, at);
    if (rest === 'more') this.#nudged();
    return rest === 'over';
  }

  async #over(db: SiteDb, idJob: number): Promise<void> {
    await withdrawJob(db, idJob);
    const result = await resultOfJob(db, idJob);
    this.#parts.app.log.info({ site: db.site.name, idJob, ...result }, 'a job is over');
  }

  async #bringTestOn(db: SiteDb, idJob: number, dueAt: Date | null, at: Date): Promise<void> {
    // A copy of the database must not choose by figures that end in the past: its jobs are being paused.
    if (dueAt !== null && dueAt <= at && !(await this.#mayGoOn())) return;
    const choice = await bringTestOn(db, idJob, dueAt, at);
    if (choice) this.#parts.app.log.info({ site: db.site.name, idJob, ...choice }, 'an A/B test is decided');
  }

  #hasRoomFor(idSite: number): boolean {
    let ofSite = 0;
    for (const { job } of this.#jobs.values()) if (job.db.site.id === idSite) ofSite++;
    return this.#jobs.size < (ofSite === 0 ? maxSites : maxJobs) && ofSite < maxJobsOfSite;
  }

  async #begin(db: SiteDb, idJob: number): Promise<void> {
    if (!(await this.#mayGoOn())) return;
    if (await endIfLate(db, idJob, this.#parts.app.clock.now())) return;
    const frozen = await frozenJob(db, idJob);
    const messages = await JobMessages.open(this.#parts.app, db.site.id, frozen).catch(
      async (error: Error) => {
        // Not the error's own words, which can be PostgreSQL's; those are in the log.
        const why = "The messages cannot be made: the DKIM key of the sender's domain cannot be read";
        await reportHindrance(db, idJob, why);
        throw error;
      },
    );
    await reportHindrance(db, idJob, null);
    const commit = this.#commitOf(db);
    const of = { db, idJob, frozen, messages, commit };
    const routes = await this.#routesOf(db.site.id);
    const relays = new JobRelays(await isByRelay(db, idJob, routes.relays.length > 0));
    if (this.#end.signal.aborted) return;
    const job: JobRun = new JobRun(this.#parts, of, {
      wake: () => this.#woken(db, job, relays),
      canSend: () => relays.canSend,
    });
    this.#jobs.set(keyOf(db, idJob), { job, relays });
    relays.use(job, this.#pools.of(routes, relays));
    await relays.renewSlots();
    job.fill();
  }

  #woken(db: SiteDb, job: JobRun, relays: JobRelays): void {
    const key = keyOf(db, job.idJob);
    if (job.isOver && this.#jobs.get(key)?.job === job) {
      this.#jobs.delete(key);
      // One that is at work for a moment, for who was deferred, is at work at no other note.
      this.#noteRelaysOf(job, relays);
      // Whatever still waits in it must not wake it up again.
      job.stop();
      relays.use(job, []);
      this.#parts.limits.forget(jobBucket(db.site.id, job.idJob));
      this.#nudged();
    }
    relays.wake();
  }

  #routesOf(idSite: number): Promise<SiteRoutes> {
    return siteRoutesOf(this.#parts.app, idSite, this.#mailboxPort, this.#timeouts);
  }

  #commitOf(db: SiteDb): GroupCommit {
    const known = this.#commits.get(db.site.id);
    if (known) return known;
    const jobOf = (run: RangeRun) => this.#jobs.get(keyOf(db, run.idJob))?.job;
    const commit = new GroupCommit(db, this.#parts.holder, () => this.#parts.app.clock.now(), {
      committed: (run, state) => {
        jobOf(run)?.seen(state);
        jobOf(run)?.settle(run);
      },
      fenced: (run) => jobOf(run)?.settle(run),
      failed: (run, error) =>
        this.#parts.app.log.warn({ err: error, idJob: run.idJob, range: run.number }, 'a commit failed'),
    });
    this.#commits.set(db.site.id, commit);
    return commit;
  }
}

function keyOf(db: SiteDb, idJob: number): string {
  return `${db.site.id}/${idJob}`;
}

/** Waits until the condition holds, at most so long. */
async function until(holds: () => boolean, ms: number): Promise<void> {
  const end = performance.now() + ms;
  while (!holds() && performance.now() < end) await sleep(10);
}

/**
 * Brings the A/B test of a job that is sending on: notes when its winner is to be chosen once everybody in the
 * variants was attempted, and chooses it when that time has come. May be asked at any time, by any number of
 * processes.
 * @param dueAt as it was noted; null when it is not yet
 * @returns the choice, to the one whose it is
 */
export async function bringTestOn(
  db: SiteDb,
  idJob: number,
  dueAt: Date | null,
  at: Date,
): Promise<Choice | undefined> {
  if (dueAt !== null) return dueAt <= at ? decideNow(db, idJob, at) : undefined;
  if (!(await hasUntried(db, idJob))) await setDue(db, idJob, new Date(at.getTime() + winnerAfterMs));
  return undefined;
}

/** In one transaction: the figures, the winner, the remainder's messages, and its ranges to anyone who sends them. */
async function decideNow(db: SiteDb, idJob: number, at: Date): Promise<Choice | undefined> {
  return db.transaction(async (tx) => {
    const due = await lockDueTest(tx, idJob, at);
    if (!due) return undefined;
    const variants = due.frozen.sents.map(({ conf }) => conf.idSent);
    const results = await resultsOf(tx, due.type, variants);
    const choice = chooseWinner(results);
    const frozen = withRemainder(due.frozen, due.type, choice.idSent, at);
    const { type, idRemainder } = due;
    await decide(tx, idJob, { type, idRemainder, frozen, idWinner: choice.idSent, results }, at);
    await offerJob(tx, idJob);
    return choice;
  });
}

async function resultsOf(tx: SiteDb, type: AbTestType, idsSent: readonly number[]): Promise<VariantResult[]> {
  const counters = await countersOfSents(tx, idsSent);
  const clickers = type === 'Content' ? await humanClickersOf(tx, idsSent) : undefined;
  return idsSent.map((idSent) => {
    const { nbHumanOpeners, nbDelivered } = counters.get(idSent) ?? noCounters;
    const readers = clickers ? (clickers.get(idSent) ?? 0) : nbHumanOpeners;
    return { idSent, readers, delivered: nbDelivered };
  });
}
