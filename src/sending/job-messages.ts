import { dkimKeysFor } from '../accounts/sending-domain-store.ts';
import { type LinkKind, linkAddress } from '../activity/link-token.ts';
import { makeReturnPath } from '../activity/return-path.ts';
import { compileMessage } from '../mail/compile-message.ts';
import { type DkimKey, dkimKey, signMessage } from '../mail/dkim-sign.ts';
import type { CompiledMessage } from '../mail/message-source.ts';
import type { Envelope } from '../mail/outcome.ts';
import { needsOf, renderFor } from '../mail/reader-values.ts';
import type { Recipient, RecipientNeeds } from '../mail/recipient.ts';
import type { App } from '../platform/app.ts';
import { domainOf } from '../platform/email-address.ts';
import { keptIn } from '../platform/remembered.ts';
import { type FrozenJob, sourceOf } from './frozen-job.ts';

export interface ReadyMessage {
  readonly envelope: Envelope;
  readonly pieces: readonly Buffer[];
}

/** Builds the messages of one job. Each sending is compiled once; only the tags are filled for each recipient. */
export class JobMessages {
  readonly #app: App;
  readonly #idSite: number;
  #frozen: FrozenJob;
  readonly #keys: readonly DkimKey[];
  readonly #compiled = new Map<number, CompiledMessage>();

  private constructor(app: App, idSite: number, frozen: FrozenJob, keys: readonly DkimKey[]) {
    this.#app = app;
    this.#idSite = idSite;
    this.#frozen = frozen;
    this.#keys = keys;
  }

  static async open(app: App, idSite: number, frozen: FrozenJob): Promise<JobMessages> {
    const keys = await dkimKeysFor(app.control, app.secrets, idSite, domainOf(frozen.source.from.email));
    const parsed = keys.map((key) => dkimKey(key.domain, key.selector, key.algorithm, key.privateKey));
    return new JobMessages(app, idSite, frozen, parsed);
  }

  /**
   * Ensures that messages of a sending can be built. If the job did not have the sending before, it is the remainder of
   * an A/B test whose winner was chosen, perhaps by another process.
   * @param read re-reads the frozen job
   */
  async know(idSent: number, read: () => Promise<FrozenJob>): Promise<void> {
    const has = () => this.#frozen.sents.some(({ conf }) => conf.idSent === idSent);
    if (!has()) this.#frozen = await read();
    if (!has()) throw new Error(`The frozen job has no sending with idSent ${idSent}`);
  }

  /** Fields and rows that the messages name, over all sendings. */
  get needs(): RecipientNeeds {
    return needsOf(this.#frozen.sents.map((sent) => this.#compile(sent.conf.idSent)));
  }

  /**
   * One recipient's message, signed with each key of the sender's domain.
   * @throws Error if it cannot be built; a retry would fail too
   */
  async make(idSent: number, recipient: Recipient): Promise<ReadyMessage> {
    const compiled = this.#compile(idSent);
    const { id: idSubscriber, idForward, idSingle, clickTracker } = recipient;
    const whose = { idSubscriber, ...(idForward !== undefined && { idForward }) };
    const ids = { idSite: this.#idSite, idSent, ...whose };
    const { publicUrl, bounceDomain } = this.#frozen;
    const { secrets, clock } = this.#app;
    const made = renderFor(compiled, recipient, (kind, idLink) => {
      const own = { ...(idLink !== undefined && { idLink }), ...(idSingle !== undefined && { idSingle }) };
      const token = { kind: kind satisfies LinkKind, ...ids, ...own };
      const address = linkAddress(publicUrl, secrets, token);
      // A tracked link leads through the caller's click tracker, if there is one.
      return kind === 'click' && clickTracker ? clickTracker + encodeURIComponent(address) : address;
    });
    const envelope = { from: makeReturnPath(secrets, ids, bounceDomain), to: recipient.email };
    const signatures = await signMessage(made.headers, made.body, this.#keys, clock.now());
    return { envelope, pieces: [...signatures, made.message] };
  }

  #compile(idSent: number): CompiledMessage {
    return keptIn(this.#compiled, idSent, () => compileMessage(sourceOf(this.#frozen, idSent)));
  }
}
