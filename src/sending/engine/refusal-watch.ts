import type { DeliveryOutcome } from '../../mail/outcome.ts';
import type { App } from '../../platform/app.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { haltJob } from './halt-job.ts';

/** So many answers are judged together. Of fewer, an old list may well have only dead addresses. */
const sample = 200;
/** So many refusals among them are the relay's doing, and not the recipients'. */
const implausible = 180;

/**
 * Watches what relays answer to one job's messages, in this process. One that refuses nearly everybody permanently is
 * taken for one that does not know us, or that somebody set up wrongly: the job is paused before the whole list is
 * marked as dead. Temporary answers count as well: where newcomers are deferred at first, refusals come before all
 * else.
 */
export class RefusalWatch {
  readonly #app: App;
  readonly #of: { readonly db: SiteDb; readonly idJob: number };
  readonly #halted: (isHalted: boolean) => void;
  #answers = 0;
  #refusals = 0;
  /** Of the last refusal. */
  #code = 0;
  #isHalting = false;

  /** @param halted told when `isHalting` is over: whether the job is no longer sending. */
  constructor(app: App, of: { db: SiteDb; idJob: number }, halted: (isHalted: boolean) => void) {
    this.#app = app;
    this.#of = of;
    this.#halted = halted;
  }

  /** The job is being paused: nothing more is to be attempted. */
  get isHalting(): boolean {
    return this.#isHalting;
  }

  /** Enters what a relay answered. */
  heard(outcome: DeliveryOutcome): void {
    if (outcome.kind === 'notAttempted' || outcome.kind === 'unknown') return;
    this.#answers += 1;
    if (outcome.kind === 'refused') {
      this.#refusals += 1;
      this.#code = outcome.code;
    }
    if (this.#answers < sample) return;
    const refusals = this.#refusals;
    this.restart();
    if (refusals >= implausible && !this.#isHalting) void this.#halt(refusals, this.#code);
  }

  /** Counts again: somebody resumed the job, and knows why it was paused. */
  restart(): void {
    this.#answers = 0;
    this.#refusals = 0;
  }

  async #halt(refusals: number, code: number): Promise<void> {
    const { db, idJob } = this.#of;
    // Of the relay's words only the code is told, as of one that cannot be used (relay-trouble.ts).
    const what = `The relay refused ${refusals} of ${sample} messages for good, the last one with code ${code}`;
    this.#isHalting = true;
    const isHalted = await haltJob(db, idJob, { what, at: this.#app.clock.now() }).catch((err: Error) => {
      this.#app.log.warn({ err, idJob }, 'a job whose relay refuses nearly everybody cannot be paused');
      return false;
    });
    this.#isHalting = false;
    if (isHalted)
      this.#app.log.warn({ site: db.site.name, idJob, refusals, code }, 'the job is paused: refused');
    this.#halted(isHalted);
  }
}
