import { setTimeout as sleep } from 'node:timers/promises';
import { countersOfSents, humanClickersOf } from '../../activity/counter-store.ts';
import { noCounters } from '../../activity/counters.ts';
import { Suspensions } from '../../alerts/suspensions.ts';
import type { AbTestType } from '../../campaigns/ab-test.ts';
import { type SmtpTimeouts, standardTimeouts } from '../../mail/outcome.ts';
import type { App } from '../../platform/app.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { nameOfProcess } from '../../platform/process-name.ts';
import { keptIn } from '../../platform/remembered.ts';
import { within } from '../../platform/within.ts';
import { type Choice, chooseWinner, type VariantResult, winnerAfterMs, withRemainder } from '../ab-test.ts';
import { decide, hasUntried, lockDueTest, setDue } from '../ab-test-store.ts';
import { isFinal } from '../job.ts';
import { JobMessages } from '../job-messages.ts';
import {
  frozenJob,
  isByRelay,
  listenForJobs,
  offeredJobs,
  offerJob,
  reportHindrance,
  withdrawJob,
} from '../job-store.ts';
import { sitesWithSingles } from '../single-message-store.ts';
import type { EngineParts } from './delivery.ts';
import { cancelSome, finishJob, resultOfJob } from './finish.ts';
import { type CommitListener, GroupCommit } from './group-commit.ts';
import { endIfLate, noteRelays } from './halt-job.ts';
import { JobRun } from './job-run.ts';
import { findWork } from './lease.ts';
import { type RetryPolicy, standardRetry } from './outcomes.ts';
import { releaseConnections } from './permit-store.ts';
import { HourlyPermits } from './permits.ts';
import { ProgressWatch, standardWatch, type WatchTimes } from './progress-watch.ts';
import { Providers } from './providers.ts';
import type { RangeRun } from './range-run.ts';
import { JobRelays, RoutePools, type SiteRoutes, siteRoutesOf } from './route-pool.ts';
import { SingleRun } from './single-run.ts';

/** How an engine works. Every option defaults to the value that the service uses. */
export interface EngineOptions {
  /** The port of our own SMTP listener. */
  readonly mailboxPort?: number;
  /** Seconds that a range is held without a commit; another process may take it after that. */
  readonly leaseS?: number;
  readonly pollMs?: number;
  readonly retry?: RetryPolicy;
  readonly watch?: WatchTimes;
  /** Milliseconds that a graceful stop waits for the replies to messages in flight. */
  readonly graceMs?: number;
  /** How long relays may take to reply; by default the limits of RFC 5321. */
  readonly timeouts?: SmtpTimeouts;
  /**
   * Called before a job begins and, while any runs, every few seconds. Returns false if nothing may be sent, and every
   * job has been paused. If it throws, nothing begins now.
   */
  readonly mayGoOn?: () => Promise<boolean>;
}

/** Milliseconds that a graceful stop waits for replies; `docs/operations.md` promises a minute. */
export const standardGraceMs = 60_000;

/** A running job, or the single messages of a site, with the relays that it sends by. */
interface Running {
  readonly run: JobRun | SingleRun;
  readonly relays: JobRelays;
}

/** Milliseconds that a stop waits for the database, twice at most. */
const answerMs = 5_000;
/**
 * Jobs that run at a time, over all sites and for one site; each keeps its content in memory. Other jobs wait, oldest
 * first. A site without a running job may begin one beyond the first bound, so that sites whose relays are unreachable,
 * and whose jobs wait for hours, do not keep other sites from sending.
 */
const maxJobs = 32;
const maxJobsOfSite = 8;
const maxSites = 500;
/** Number of polls between renewals of permits; permits that move between processes are renewed with every poll. */
const permitsEvery = 2;
/** Number of polls between readings of the routes. */
const routesEvery = 5;

/**
 * Sends what jobs have frozen: finds jobs with work over all sites, runs them side by side on the routes' connections,
 * and ends them. Any number of processes may run one. The guarantees are in ../README.md.
 */
export class SendingEngine {
  readonly #parts: EngineParts;
  readonly #options: Required<EngineOptions>;
  #watch: ProgressWatch | undefined;
  readonly #running = new Map<string, Running>();
  readonly #pools: RoutePools;
  readonly #commits = new Map<number, GroupCommit>();
  readonly #end = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #listening: Promise<void> = Promise.resolve();
  #polling: Promise<void> | undefined;
  #pollAgain = false;
  #routesAt = Number.NEGATIVE_INFINITY;
  #permitsAt = Number.NEGATIVE_INFINITY;
  #renewals: Promise<unknown> = Promise.resolve();

  constructor(app: App, options: EngineOptions = {}) {
    const owner = nameOfProcess();
    this.#options = {
      mailboxPort: app.config.smtpPort,
      leaseS: 20,
      pollMs: 1_000,
      retry: standardRetry,
      watch: standardWatch,
      graceMs: standardGraceMs,
      timeouts: standardTimeouts,
      mayGoOn: async () => true,
      ...options,
    };
    const { leaseS, retry } = this.#options;
    this.#parts = {
      app,
      holder: { owner, leaseS },
      hourly: new HourlyPermits(app.control),
      providers: new Providers(app.control, owner, (error, what) => this.#complain(what)(error)),
      suspensions: new Suspensions(app),
      retry,
    };
    this.#pools = new RoutePools(this.#parts);
  }

  /** Begins to poll for jobs and single messages. */
  start(): void {
    this.#listening = listenForJobs(this.#parts.app.control, () => this.#wakeUp(), this.#end.signal);
    this.#timer = setInterval(() => this.#tick(), this.#options.pollMs);
    const routesOf = async (idSite: number) => {
      const { relays, mailbox } = await this.#routesOf(idSite);
      return relays.length > 0 ? relays : [mailbox];
    };
    const watched = { ...this.#parts, routesOf, hasRoomFor: (id: number) => this.#hasRoomFor(id) };
    this.#watch = new ProgressWatch(watched, this.#options.watch);
    this.#wakeUp();
  }

  /**
   * Stops gracefully: begins nothing new, waits for the replies to messages in flight, and releases the leases so that
   * another process can continue. Leases and permits are renewed until then: if they expired, the next holder would
   * report those messages as uncertain.
   */
  async stop(): Promise<void> {
    this.#end.abort();
    // Before anything that waits for the database: a message that starts now might not get its reply in time.
    const pools = this.#pools.all;
    for (const pool of pools) pool.close();
    const pending = [...this.#stopRuns(), this.#watch?.stop(), this.#polling, this.#listening];
    await until(() => pools.every((pool) => pool.permits.inUse === 0), this.#options.graceMs);
    for (const pool of pools) pool.destroy();
    await until(() => pools.every((pool) => pool.permits.inUse === 0), 1_000);
    const commits = [...this.#commits.values(), ...this.#runs.map((run) => run.commit)];
    // Outcomes that are not written are uncertain to the next holder.
    await this.#inTime([...pending, ...commits.map((commit) => commit.idle())]);
    const stops = this.#stopRuns();
    await until(() => this.#runs.every((run) => run.isOver), 2_000);
    clearInterval(this.#timer);
    const { app, holder } = this.#parts;
    await this.#inTime([
      ...stops,
      this.#renewals.then(() => releaseConnections(app.control, [holder.owner])),
    ]);
  }

  get #runs(): (JobRun | SingleRun)[] {
    return [...this.#running.values()].map(({ run }) => run);
  }

  #stopRuns(): Promise<void>[] {
    return this.#runs.map((run) => this.#stopRun(run));
  }

  #stopRun(run: JobRun | SingleRun): Promise<void> {
    return Promise.resolve(run.stop()).catch(this.#complain('single messages not released'));
  }

  /** A database that hangs must not block the stop. */
  async #inTime(work: readonly (Promise<void> | undefined)[]): Promise<void> {
    await within('The database', answerMs, Promise.all(work)).catch(
      this.#complain('not everything was stored before the stop'),
    );
  }

  /** Runs every `pollMs`; during a graceful stop it only renews what is held. */
  #tick(): void {
    for (const run of this.#runs) run.tick();
    this.#renewPermits();
    if (this.#end.signal.aborted) return;
    if (performance.now() - this.#routesAt > routesEvery * this.#options.pollMs) this.#renewRoutes();
    this.#pools.wake();
    this.#wakeUp();
  }

  #renewPermits(): void {
    const isDue = performance.now() - this.#permitsAt > permitsEvery * this.#options.pollMs;
    if (isDue) this.#permitsAt = performance.now();
    this.#renewals = Promise.all([
      this.#parts.providers.renewPermits(),
      this.#pools.renewPermits(isDue ? 'all' : 'unsettled').catch(this.#complain('permits not renewed')),
    ]);
  }

  #renewRoutes(): void {
    this.#routesAt = performance.now();
    if (this.#running.size > 0)
      this.#options.mayGoOn().catch(this.#complain('permission to send could not be checked'));
    this.#refreshRoutes().catch(this.#complain('routes could not be read'));
    for (const { run, relays } of this.#running.values())
      if (run instanceof JobRun) this.#noteRelaysOf(run, relays);
  }

  /**
   * Applies changed routes to running jobs: a corrected password helps those that wait for it, a new route is used, and
   * nothing more is sent through a deleted one.
   */
  async #refreshRoutes(): Promise<void> {
    for (const idSite of new Set(this.#runs.map((run) => run.db.site.id))) {
      const routes = await this.#routesOf(idSite);
      if (this.#end.signal.aborted) return;
      for (const { run, relays } of this.#running.values())
        if (run.db.site.id === idSite) relays.use(run, this.#pools.of(routes, relays));
    }
  }

  #noteRelaysOf({ db, idJob, suspension }: JobRun, { areReached, trouble }: JobRelays): void {
    const status = { areReached, trouble, suspension };
    noteRelays(db, idJob, status, this.#parts.app.clock.now()).catch(
      this.#complain('relay status of a job not noted'),
    );
  }

  /** Polls now, or once more after the running poll. */
  #wakeUp(): void {
    if (this.#end.signal.aborted) return;
    if (this.#polling) {
      this.#pollAgain = true;
      return;
    }
    this.#polling = this.#poll()
      .catch(this.#complain('poll for jobs failed; retrying'))
      .finally(() => {
        this.#polling = undefined;
        if (!this.#pollAgain) return;
        this.#pollAgain = false;
        this.#wakeUp();
      });
  }

  /** Returns a handler that logs an error; what failed is retried later. */
  #complain(what: string, of: { readonly idJob?: number } = {}): (error: Error) => void {
    return (err) => this.#parts.app.log.warn({ err, ...of }, what);
  }

  async #poll(): Promise<void> {
    const { app, providers, suspensions } = this.#parts;
    await Promise.all([providers.refresh(), suspensions.refresh()]);
    for (const { idSite, idJob } of await offeredJobs(app.control))
      await this.#visit(idSite, (db) => this.#lookAt(db, idJob), 'job not run; retrying', { idJob });
    for (const idSite of await sitesWithSingles(app.control))
      await this.#visit(idSite, (db) => this.#lookAtSingles(db), 'single messages not sent; retrying');
  }

  /** An error of one job or site must not delay the others. */
  async #visit(
    idSite: number,
    look: (db: SiteDb) => Promise<void>,
    failure: string,
    of: { readonly idJob?: number } = {},
  ): Promise<void> {
    if (this.#end.signal.aborted) return;
    const db = await this.#parts.app.siteById(idSite);
    if (db) await look(db).catch(this.#complain(failure, of));
  }

  async #lookAtSingles(db: SiteDb): Promise<void> {
    const key = `${db.site.id}/singles`;
    const known = this.#running.get(key)?.run;
    if (known instanceof SingleRun) return known.poll();
    const of = { mayGoOn: this.#options.mayGoOn, wake: () => this.#woken(key, run) };
    const run: SingleRun = new SingleRun(this.#parts, db, of);
    await run.poll();
    if (run.isOver) return;
    const routes = await this.#routesOf(db.site.id);
    if (this.#end.signal.aborted) return run.stop();
    await this.#run(key, { run, relays: new JobRelays(routes.relays.length > 0) }, routes);
  }

  async #run(key: string, running: Running, routes: SiteRoutes): Promise<void> {
    const { run, relays } = running;
    this.#running.set(key, running);
    relays.use(run, this.#pools.of(routes, relays));
    await relays.renewPermits();
  }

  /** Messages of a run are ready, or it has ended. */
  #woken(key: string, run: JobRun | SingleRun): void {
    const running = this.#running.get(key);
    if (running?.run !== run) return;
    const { relays } = running;
    if (run.isOver) {
      this.#running.delete(key);
      // A run that is short, for a deferred recipient, is noted at no other time.
      if (run instanceof JobRun) this.#noteRelaysOf(run, relays);
      // Timers that are left must not wake it again.
      void this.#stopRun(run);
      relays.use(run, []);
      // More may be due than one run holds.
      this.#wakeUp();
    }
    relays.wake();
  }

  async #lookAt(db: SiteDb, idJob: number): Promise<void> {
    const at = this.#parts.app.clock.now();
    const found = await findWork(db, idJob, at);
    if (found?.isTesting && found.state === 'Sending') {
      // Caught here: a choice that fails must not delay the retries of the variants.
      await this.#bringTestOn(db, idJob, found.dueAt, at).catch(
        this.#complain('winner of an A/B test not chosen; retrying', { idJob }),
      );
    }
    const running = this.#jobOf(db, idJob);
    if (running) {
      if (found) running.found(found);
      return;
    }
    if (!found) return withdrawJob(db, idJob);
    if (found.state === 'Sending') {
      if (found.isTakeable) return this.#hasRoomFor(db.site.id) ? this.#begin(db, idJob) : undefined;
      if (!found.isOpen && (await finishJob(db, idJob, at))) await this.#finished(db, idJob);
      return;
    }
    if (found.state === 'Stopped' && !(await this.#isCancelled(db, idJob, at))) return;
    if (isFinal(found.state)) await this.#finished(db, idJob);
  }

  /** Cancels some recipients of a stopped job; the next ones follow after the other jobs of the poll. */
  async #isCancelled(db: SiteDb, idJob: number, at: Date): Promise<boolean> {
    const { holder, providers } = this.#parts;
    const rest = await cancelSome(db, holder, idJob, providers.of, at);
    if (rest === 'more') this.#wakeUp();
    return rest === 'over';
  }

  async #finished(db: SiteDb, idJob: number): Promise<void> {
    await withdrawJob(db, idJob);
    const result = await resultOfJob(db, idJob);
    this.#parts.app.log.info({ site: db.site.name, idJob, ...result }, 'job finished');
  }

  async #bringTestOn(db: SiteDb, idJob: number, dueAt: Date | null, at: Date): Promise<void> {
    // A copy of the database must not choose by figures that end in the past: its jobs are being paused.
    if (dueAt !== null && dueAt <= at && !(await this.#options.mayGoOn())) return;
    const choice = await bringTestOn(db, idJob, dueAt, at);
    if (choice)
      this.#parts.app.log.info({ site: db.site.name, idJob, ...choice }, 'winner of an A/B test chosen');
  }

  #hasRoomFor(idSite: number): boolean {
    const jobs = this.#runs.filter((run) => run instanceof JobRun);
    const ofSite = jobs.filter((job) => job.db.site.id === idSite).length;
    return jobs.length < (ofSite === 0 ? maxSites : maxJobs) && ofSite < maxJobsOfSite;
  }

  async #begin(db: SiteDb, idJob: number): Promise<void> {
    if (!(await this.#options.mayGoOn())) return;
    if (await endIfLate(db, idJob, this.#parts.app.clock.now())) return;
    const frozen = await frozenJob(db, idJob);
    const messages = await JobMessages.open(this.#parts.app, db.site.id, frozen).catch(
      async (error: Error) => {
        // Not the error's own text, which can be PostgreSQL's; that is in the log.
        const why = "The messages cannot be made: the DKIM key of the sender's domain cannot be read";
        await reportHindrance(db, idJob, why);
        throw error;
      },
    );
    await reportHindrance(db, idJob, null);
    const of = { db, idJob, frozen, messages, commit: this.#commitOf(db) };
    const routes = await this.#routesOf(db.site.id);
    const relays = new JobRelays(await isByRelay(db, idJob, routes.relays.length > 0));
    if (this.#end.signal.aborted) return;
    const key = keyOf(db, idJob);
    const job: JobRun = new JobRun(this.#parts, of, {
      wake: () => this.#woken(key, job),
      canSend: () => relays.canSend,
    });
    await this.#run(key, { run: job, relays }, routes);
    job.fill();
  }

  #routesOf(idSite: number): Promise<SiteRoutes> {
    return siteRoutesOf(this.#parts.app, idSite, this.#options.mailboxPort, this.#options.timeouts);
  }

  #commitOf(db: SiteDb): GroupCommit {
    const { app, holder } = this.#parts;
    const jobOf = ({ idJob }: RangeRun) => this.#jobOf(db, idJob);
    const listener: CommitListener = {
      committed: (run, state) => {
        jobOf(run)?.seen(state);
        jobOf(run)?.settle(run);
      },
      fenced: (run) => jobOf(run)?.settle(run),
      failed: (run, error) =>
        app.log.warn({ err: error, idJob: run.idJob, range: run.number }, 'commit failed'),
    };
    const make = () => new GroupCommit(db, holder, () => app.clock.now(), listener);
    return keptIn(this.#commits, db.site.id, make);
  }

  #jobOf(db: SiteDb, idJob: number): JobRun | undefined {
    const run = this.#running.get(keyOf(db, idJob))?.run;
    return run instanceof JobRun ? run : undefined;
  }
}

function keyOf(db: SiteDb, idJob: number): string {
  return `${db.site.id}/${idJob}`;
}

/** Waits until `holds` returns true, for at most `ms` milliseconds. */
async function until(holds: () => boolean, ms: number): Promise<void> {
  const end = performance.now() + ms;
  while (!holds() && performance.now() < end) await sleep(10);
}

/**
 * Advances the A/B test of a sending job: sets the time of its choice once every recipient of the variants was
 * attempted, and chooses the winner at that time. Any number of processes may call it at any time.
 * @param dueAt the time of the choice; null if it is not set yet
 * @returns the choice, to the process that made it
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

/** Chooses the winner, freezes the remainder's messages and releases its ranges, in one transaction. */
async function decideNow(db: SiteDb, idJob: number, at: Date): Promise<Choice | undefined> {
  return db.transaction(async (tx) => {
    const due = await lockDueTest(tx, idJob, at);
    if (!due) return undefined;
    const variants = due.frozen.sents.map(({ conf }) => conf.idSent);
    const results = await resultsOf(tx, due.type, variants);
    const choice = chooseWinner(results);
    const frozen = withRemainder(due.frozen, due.type, choice.idSent, at);
    await decide(tx, idJob, { ...due, frozen, idWinner: choice.idSent, results }, at);
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
