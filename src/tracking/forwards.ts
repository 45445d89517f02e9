import type { PageLanguage } from '../contents/page-language.ts';
import type { App } from '../platform/app.ts';
import { networkOf } from '../platform/network.ts';
import { Semaphore } from '../platform/semaphore.ts';
import { within } from '../platform/within.ts';
import { friendHash } from '../sending/forward.ts';
import { blockForwards, type ForwardAnswer, requestForwards } from '../sending/forward-store.ts';
import { readBody, sendOwnHtml, sendPage } from './answers.ts';
import { FloodLimit } from './flood-limit.ts';
import { forwardPage, forwardWish, maxForwardBytes, readForwardForm } from './forward-form.ts';
import type { SentCopies } from './sent-copy.ts';
import type { TrackedRequest } from './tracked-request.ts';

/** Time limit of the database: the reader is asked to try again, and a request is sent once. */
const timeoutMs = 10_000;

/** The page by which readers forward a message, and the requests of friends to get no more. */
export class Forwards {
  readonly #app: App;
  readonly #copies: SentCopies;
  /** Requests to forward, by client network. */
  readonly #flood = new FloodLimit();
  /** Forwards of one site wait for each other in the database; they must not occupy all its connections. */
  readonly #semaphore = new Semaphore('forwards', { permits: 4, waiting: 50 });

  constructor(app: App, copies: SentCopies) {
    this.#app = app;
    this.#copies = copies;
  }

  /** Handles a request to the page; GET changes nothing. */
  answer(asked: TrackedRequest): Promise<void> | void {
    const { token, request, response } = asked;
    const isPost = request.method === 'POST';
    // A friend cannot forward in turn: chains of strangers would have no end, and no known reader.
    if (token.idForward !== undefined)
      return sendPage(request, response, isPost ? 403 : 200, 'notForwardable');
    if (isPost) return this.#post(asked);
    return this.#show(asked);
  }

  async #show(asked: TrackedRequest): Promise<void> {
    const frame = await this.#copies.frame(asked);
    sendOwnHtml(asked.response, 200, frame.language, forwardPage(frame));
  }

  /** Stops all forwards to the friend of a forward. */
  async stop(idSite: number, idForward: number, at: Date): Promise<void> {
    const stopped = this.#app.siteById(idSite).then((db) => db && blockForwards(db, idForward, at));
    await within('The database', timeoutMs, stopped);
  }

  async #post(asked: TrackedRequest): Promise<void> {
    const { request, response, at, address } = asked;
    if (!this.#flood.admits(networkOf(address ?? ''), at.getTime()))
      return sendPage(request, response, 429, 'later', { 'retry-after': '60', connection: 'close' });
    const body = await readBody(request, maxForwardBytes);
    if (body === undefined) return sendPage(request, response, 413, 'notUnderstood', { connection: 'close' });
    const input = readForwardForm(request.headers['content-type'] ?? '', body);
    if (!input) return sendPage(request, response, 400, 'notUnderstood');
    const frame = await this.#copies.frame(asked);
    const { language } = frame;
    const wish = forwardWish(input);
    if ('problem' in wish) {
      const { problem } = wish;
      return sendOwnHtml(response, 400, language, forwardPage(frame, { input, problem }));
    }
    const answer = await within(
      'The database',
      timeoutMs,
      this.#semaphore.run(() => this.#ask(asked, wish, language)),
    );
    if (answer === 'asked') sendPage(request, response, 200, 'forwarded', {}, frame);
    else if (answer === 'tooMany') sendPage(request, response, 429, 'tooManyForwards');
    else sendPage(request, response, answer === 'expired' ? 410 : 404, answer);
  }

  async #ask(
    { token, at }: TrackedRequest,
    { friends, name }: { readonly friends: readonly string[]; readonly name: string },
    language: PageLanguage,
  ): Promise<ForwardAnswer> {
    const { idSite, idSent, idSubscriber } = token;
    const db = await this.#app.siteById(idSite);
    if (!db) return 'gone';
    const hashed = friends.map((email) => ({ email, hash: friendHash(this.#app.secrets, idSite, email) }));
    return requestForwards(db, { idSent, idSubscriber, friends: hashed, name, language, at });
  }
}
