import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Registry } from 'prom-client';
import { type Hit, type HitKind, hitKinds } from '../activity/hit.ts';
import { hitRulesVersion } from '../activity/hit-class.ts';
import { type LinkKind, linkAddress, linkPaths, readToken } from '../activity/link-token.ts';
import { FilledTooLarge } from '../contents/tag-filler.ts';
import type { LinkMaker } from '../mail/reader-values.ts';
import type { App } from '../platform/app.ts';
import { type ClientAddress, clientAddressBehind } from '../platform/http/client-address.ts';
import type { HealthPart } from '../platform/http/health.ts';
import { Refusal } from '../platform/http/refusal.ts';
import { giveRequestId, requestIdOf } from '../platform/http/request-id.ts';
import type { RawHandler } from '../platform/http/server.ts';
import { ownCopy } from '../platform/own-copy.ts';
import { AgentMemory } from './agent-memory.ts';
import { readBody, sendForeignHtml, sendPage, sendPixel, sendRedirect } from './answers.ts';
import { FloodLimit } from './flood-limit.ts';
import { Forwards } from './forwards.ts';
import { HitRecorder, Overloaded } from './hit-recorder.ts';
import { LinkFinder } from './link-finder.ts';
import { LinkPrefetch } from './link-prefetch.ts';
import { hasTags, redirectAddress } from './redirect-address.ts';
import { expired, SentCopies } from './sent-copy.ts';
import type { TrackedRequest as Request } from './tracked-request.ts';
import { addTrackingMetrics, healthOf, type TrackingState } from './tracking-state.ts';
import { maxFormBytes, readUnsubscribeForm } from './unsubscribe-form.ts';

/** Handles requests to tracked addresses before the router; returns whether it handled one. */
export interface TrackingHandler extends RawHandler {
  /** Resolves when everything answered before is in the database. Rejects if it cannot be stored now. */
  settle(): Promise<void>;
  /** Whether readers can be answered, as far as the disk is concerned, for /health/ready. */
  health(): Promise<HealthPart>;
  addMetrics(registry: Registry): void;
  /** Resolves when every earlier request is durable. */
  close(): Promise<void>;
}

/** Handles `/r/` `/o/` `/m/` `/u/` `/f/` for this process. Also stores what earlier runs left in the spool. */
export function trackingHandler(app: App): TrackingHandler {
  const tracking = new Tracking(app);
  const handle = (request: IncomingMessage, response: ServerResponse) => tracking.handle(request, response);
  const state = () => tracking.state();
  return Object.assign(handle, {
    settle: () => tracking.settle(),
    close: () => tracking.close(),
    health: async () => healthOf(await state()),
    addMetrics: (registry: Registry) => addTrackingMetrics(registry, state),
  });
}

const kindOfPath: Readonly<Record<string, LinkKind>> = Object.fromEntries(
  Object.entries(linkPaths).map(([kind, path]) => [path, kind as LinkKind]),
);
const prefixLength = 3;
/** Maximum length of a stored user agent. */
const maxUserAgent = 512;

class Tracking {
  readonly #app: App;
  readonly #recorder: HitRecorder;
  readonly #links: LinkFinder;
  readonly #prefetch: LinkPrefetch;
  readonly #copies: SentCopies;
  readonly #forwards: Forwards;
  readonly #flood = new FloodLimit();
  readonly #agents = new AgentMemory();
  readonly #addressOf: ClientAddress;
  /** Clicks that were redirected although they could not be recorded. */
  #lostClicks = 0;

  constructor(app: App) {
    this.#app = app;
    this.#recorder = new HitRecorder(app, join(app.config.dataDir, 'spool'));
    this.#links = new LinkFinder(app);
    this.#prefetch = new LinkPrefetch(app, this.#links);
    this.#copies = new SentCopies(app);
    this.#forwards = new Forwards(app, this.#copies);
    this.#addressOf = clientAddressBehind(app.config.trustedProxies);
  }

  settle(): Promise<void> {
    return this.#recorder.settle();
  }

  async state(): Promise<TrackingState> {
    return { ...(await this.#recorder.state()), lostClicks: this.#lostClicks };
  }

  close(): Promise<void> {
    this.#prefetch.close();
    return this.#recorder.close();
  }

  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const url = request.url ?? '';
    const kind = kindOfPath[url.slice(0, prefixLength)];
    if (kind === undefined) return false;
    giveRequestId(response);
    const { method } = request;
    const hasForm = kind === 'unsub' || kind === 'forward';
    if (method !== 'GET' && method !== 'HEAD' && !(method === 'POST' && hasForm)) {
      const allow = hasForm ? 'GET, HEAD, POST' : 'GET, HEAD';
      sendPage(request, response, 405, 'gone', { allow });
      return true;
    }
    const query = url.indexOf('?');
    const text = url.slice(prefixLength, query < 0 ? undefined : query);
    const token = readToken(this.#app.secrets, kind, text);
    if (!token) {
      sendPage(request, response, 404, 'gone');
      return true;
    }
    const at = this.#app.clock.now();
    this.#take({ token, text: ownCopy(text), at, address: this.#addressOf(request), request, response });
    return true;
  }

  #take(asked: Request): void {
    try {
      const answered = this.#answer(asked);
      if (answered) void answered.catch((error) => this.#fail(asked, error));
    } catch (error) {
      this.#fail(asked, error);
    }
  }

  /** Handles a request. Most responses wait for nothing but their hit to be durable, and need no promise. */
  #answer(asked: Request): Promise<void> | void {
    const { token, request, response } = asked;
    switch (token.kind) {
      case 'click':
        return this.#click(asked);
      case 'open':
        this.#prefetch.saw(token.idSite, token.idSent);
        return this.#record(asked, hitKinds.open, () => sendPixel(response));
      case 'unsub':
        if (request.method === 'POST') return this.#unsubscribe(asked);
        // The friend of a forward stops forwards, and does not unsubscribe the reader.
        if (token.idForward !== undefined) return sendPage(request, response, 200, 'askStop');
        return this.#askUnsubscription(asked);
      case 'mirror':
        return this.#mirror(asked);
      case 'forward':
        return this.#forwards.answer(asked);
    }
  }

  #fail({ token, request, response }: Request, error: unknown): void {
    if (response.headersSent) return void response.destroy();
    // Retrying does not help here; a 503 would make clients retry forever.
    if (error instanceof FilledTooLarge) return void sendPage(request, response, 404, 'tooLarge');
    const isBusy = error instanceof Overloaded || (error instanceof Refusal && error.code === 'busy');
    if (!isBusy) {
      const about = { err: error, kind: token.kind, requestId: requestIdOf(response) };
      this.#app.log.error(about, 'request to a tracked address failed');
    }
    sendPage(request, response, 503, 'later', { 'retry-after': isBusy ? '1' : '10' });
  }

  #click(asked: Request): Promise<void> | void {
    const { idSite, idLink = 0 } = asked.token;
    const link = this.#links.fresh(idSite, idLink, asked.at.getTime());
    if (link?.location === undefined) return this.#findAndRedirect(asked);
    this.#redirect(asked, link.kind, link.location);
  }

  async #findAndRedirect(asked: Request): Promise<void> {
    const { idSite, idLink = 0 } = asked.token;
    const link = await this.#links.find(idSite, idLink, asked.at.getTime());
    const location = link && (link.location ?? (await this.#personalAddress(asked, link.url)));
    if (location) this.#redirect(asked, link.kind, location);
    else sendPage(asked.request, asked.response, 404, 'gone');
  }

  /** Redirects the reader even if the click cannot be recorded: that is our loss, not theirs. */
  #redirect(asked: Request, kind: HitKind, location: string): void {
    const answer = () => sendRedirect(asked.response, location);
    this.#record(asked, kind, answer, (failure) => {
      this.#loseClick(asked, failure);
      answer();
    });
  }

  #loseClick({ token, response }: Request, failure: unknown): void {
    this.#lostClicks += 1;
    const about = { err: failure, idSite: token.idSite, requestId: requestIdOf(response) };
    // The first one shows why, then every thousandth: the log must not fill the disk too.
    if (this.#lostClicks % 1_000 === 1)
      this.#app.log.error({ ...about, lostClicks: this.#lostClicks }, 'click redirected but not recorded');
  }

  /** The address of a link with tags for this reader. */
  async #personalAddress({ token }: Request, url: string): Promise<string | undefined> {
    if (!hasTags(url)) return undefined;
    const filled = await this.#copies.address(token, url, this.#linksOf(token));
    return filled === undefined ? undefined : redirectAddress(filled);
  }

  async #askUnsubscription(asked: Request): Promise<void> {
    const { request, response } = asked;
    const frame = await this.#copies.frame(asked);
    this.#record(asked, hitKinds.unsubscription, () => sendPage(request, response, 200, 'ask', {}, frame));
  }

  async #mirror(asked: Request): Promise<void> {
    const html = await this.#copies.page(asked.token, asked.at, this.#linksOf(asked.token));
    if (html === undefined) return sendPage(asked.request, asked.response, 404, 'gone');
    if (html === expired) return sendPage(asked.request, asked.response, 410, 'expired');
    this.#record(asked, hitKinds.mirror, () => sendForeignHtml(asked.response, html));
  }

  /** Makes the addresses of the message that a token belongs to. */
  #linksOf({ idLink: _, ...ids }: Request['token']): LinkMaker {
    return (kind, idLink) => {
      const token = { ...ids, kind, ...(idLink !== undefined && { idLink }) };
      return linkAddress(this.#app.publicUrl, this.#app.secrets, token);
    };
  }

  /**
   * Unsubscribes a reader. The response is the same if they are already unsubscribed, were deleted or never existed.
   */
  async #unsubscribe(asked: Request): Promise<void> {
    const { token, at, request, response } = asked;
    const body = await readBody(request, maxFormBytes);
    if (body === undefined) return sendPage(request, response, 413, 'notUnderstood', { connection: 'close' });
    const origin = readUnsubscribeForm(request.headers['content-type'] ?? '', body);
    if (!origin) return sendPage(request, response, 400, 'notUnderstood');
    if (token.idForward !== undefined) {
      await this.#forwards.stop(token.idSite, token.idForward, at);
      return sendPage(request, response, 200, 'stopped');
    }
    const { idSite, idSent, idSubscriber } = token;
    if (origin === 'undo') {
      const isUndone = await this.#recorder.undoUnsubscription(idSite, { at, idSent, idSubscriber });
      const name = isUndone ? 'undone' : 'notUndone';
      return sendPage(request, response, isUndone ? 200 : 409, name, {}, await this.#copies.frame(asked));
    }
    const { isTest } = await this.#recorder.unsubscribe(idSite, { at, idSent, idSubscriber, origin });
    // Mailbox providers do not read the page of their one-click request.
    const frame = origin === 'oneClick' ? undefined : await this.#copies.frame(asked);
    sendPage(request, response, 200, isTest ? 'doneInTest' : 'done', {}, frame);
  }

  /**
   * Responds when the hit is durable, or immediately if its token is flooding.
   * @param lost responds if the hit could not be made durable, with the reason; by default, the request fails.
   */
  #record(
    asked: Request,
    kind: HitKind,
    answer: () => void,
    lost: (failure: unknown) => void = (failure) => this.#fail(asked, failure),
  ): void {
    const { token, request, at, address } = asked;
    if (!this.#flood.admits(asked.text, at.getTime())) {
      answer();
      return;
    }
    const userAgent = (request.headers['user-agent'] ?? '').slice(0, maxUserAgent);
    const agent = this.#agents.find(request.method ?? 'GET', userAgent);
    const hit: Hit = {
      at,
      kind,
      class: agent.class,
      rulesVersion: hitRulesVersion,
      isMobile: agent.isMobile,
      idSent: token.idSent,
      idSubscriber: token.idSubscriber,
      idLink: token.idLink ?? null,
      isViral: token.idForward !== undefined,
      userAgent,
      address,
    };
    this.#recorder.take(token.idSite, hit, (error) => {
      try {
        if (error === undefined) answer();
        else lost(error);
      } catch (failure) {
        this.#fail(asked, failure);
      }
    });
  }
}
