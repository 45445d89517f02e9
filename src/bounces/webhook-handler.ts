import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Counter, Registry } from 'prom-client';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { RouteWebhook, WebhookProvider } from '../accounts/route-webhook.ts';
import { findRouteWebhook } from '../accounts/route-webhook-store.ts';
import { readWebhookPath, webhookPrefix } from '../accounts/webhook-address.ts';
import type { App } from '../platform/app.ts';
import { FetchFailure, fetchPublic } from '../platform/egress-fetch.ts';
import { type ClientAddress, clientAddressBehind } from '../platform/http/client-address.ts';
import { jsonExcess } from '../platform/http/json-bounds.ts';
import { notFound, Refusal, tooLarge, tooMany, unavailable } from '../platform/http/refusal.ts';
import { giveRequestId, requestIdOf } from '../platform/http/request-id.ts';
import type { RawHandler } from '../platform/http/server.ts';
import { networkOf } from '../platform/network.ts';
import { type NoteRefusal, refusalLog } from '../platform/refusal-log.ts';
import { Semaphore } from '../platform/semaphore.ts';
import { readBytes } from '../tracking/answers.ts';
import { enterReport } from './enter-report.ts';
import { type LostReports, lostReports } from './lost-reports.ts';
import { claimedRecipient } from './signed-claims.ts';
import { noteWebhookRequest } from './webhook-request-store.ts';
import { NoPassword, Unproved } from './webhooks/proved-request.ts';
import type { ProviderReport } from './webhooks/provider-report.ts';
import { readWebhook } from './webhooks/read-webhook.ts';
import { type FetchOfSns, SnsTopics } from './webhooks/sns.ts';
import { proveWebhook } from './webhooks/webhook-proof.ts';

/** Maximum size of a request; SendGrid's batches, the largest, end at 768 kB. */
const maxBytes = 2 * 1024 * 1024;
const maxReports = 5_000;
/** Requests that are recorded concurrently, each with one connection to the database. */
const atOnce = 4;
/** Requests whose body is read or waits to be recorded, and those that may wait before that. */
const readAtOnce = 32;
const maxWaiting = 200;
/** Reports of one request that are recorded concurrently. */
const recordedAtOnce = 2;
/** Unproved requests that one address may send in a minute before it must wait a minute. */
const wrongPerMinute = 30;

/** Registry of the metrics, and a replacement for Amazon in tests. */
export interface WebhookOptions {
  readonly registry?: Registry;
  readonly fetch?: FetchOfSns;
}

/**
 * Handles `/webhooks/…`, where providers report bounces and complaints, before the router; returns whether it handled a
 * request. It replies 200 only after the reports are committed.
 */
export function webhookHandler(app: App, options: WebhookOptions = {}): RawHandler {
  const webhooks = new Webhooks(app, options);
  return (request, response) => webhooks.handle(request, response);
}

type Outcome = 'taken' | 'repeated' | 'rejected';

class Webhooks {
  readonly #app: App;
  readonly #topics: SnsTopics;
  readonly #lost: LostReports;
  readonly #requests: Counter<'provider' | 'outcome'>;
  readonly #reads = new Semaphore('webhooks', { permits: readAtOnce, waiting: maxWaiting });
  readonly #writes = new Semaphore('webhooks', { permits: atOnce, waiting: readAtOnce });
  readonly #wrong = new RateLimiterMemory({ points: wrongPerMinute, duration: 60, blockDuration: 60 });
  readonly #addressOf: ClientAddress;
  readonly #note: NoteRefusal;

  constructor(app: App, { registry = new Registry(), fetch = fetcherOf(app) }: WebhookOptions) {
    this.#app = app;
    this.#topics = new SnsTopics(fetch);
    this.#lost = lostReports(app.log, registry);
    this.#addressOf = clientAddressBehind(app.config.trustedProxies);
    this.#note = refusalLog(app.log.child({ part: 'webhooks' }));
    this.#requests = new Counter({
      name: 'facteur_webhook_requests_total',
      help: 'Requests of sending providers since the start, by provider and outcome: taken, repeated, rejected',
      labelNames: ['provider', 'outcome'],
      registers: [registry],
    });
  }

  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const url = request.url ?? '';
    if (!url.startsWith(webhookPrefix)) return false;
    giveRequestId(response);
    const idRoute = readWebhookPath(this.#app.secrets, url);
    if (idRoute === undefined) sendText(response, 404, 'Webhook not found');
    else if (request.method !== 'POST') sendText(response, 405, 'Only POST', { allow: 'POST' });
    else void this.#answer(idRoute, request, response);
    return true;
  }

  async #answer(idRoute: number, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = networkOf(this.#addressOf(request) ?? '');
    let webhook: RouteWebhook | undefined;
    const count = (outcome: Outcome) =>
      webhook && this.#requests.inc({ provider: webhook.provider, outcome });
    try {
      await this.#checkPatience(address);
      webhook = await findRouteWebhook(this.#app.control, this.#app.secrets, idRoute);
      if (!webhook) throw notFound('Webhook');
      const known = webhook;
      const outcome = await this.#reads.run(() => this.#take(idRoute, known, request));
      count(outcome);
      sendText(response, 200, outcome);
    } catch (error) {
      if (error instanceof Unproved) {
        count('rejected');
        this.#note('webhook not proved', address, { idRoute, why: error.message });
        if (!(error instanceof NoPassword)) await this.#wrong.consume(address).catch(() => undefined);
        const challenge = { 'www-authenticate': 'Basic realm="webhook"' };
        sendText(response, 401, 'The request is not proved by the secret of this webhook', challenge);
      } else this.#fail(error, idRoute, response);
    }
  }

  /** @throws 429 to an address that has sent too many unproved requests. */
  async #checkPatience(address: string): Promise<void> {
    const state = await this.#wrong.get(address);
    if (!state || state.consumedPoints <= wrongPerMinute) return;
    throw tooMany('Too many requests that are not proved', Math.max(1, Math.ceil(state.msBeforeNext / 1000)));
  }

  #fail(error: unknown, idRoute: number, response: ServerResponse): void {
    if (error instanceof Refusal) {
      const { status, message, retryAfterS } = error;
      const headers = retryAfterS === undefined ? undefined : { 'retry-after': `${retryAfterS}` };
      sendText(response, status, message, headers);
    } else {
      // Providers repeat a request that did not get a 2xx.
      this.#app.log.error({ err: error, idRoute, requestId: requestIdOf(response) }, 'webhook not recorded');
      sendText(response, 503, 'Not recorded; try again later', { 'retry-after': '10' });
    }
  }

  async #take(idRoute: number, webhook: RouteWebhook, request: IncomingMessage): Promise<Outcome> {
    const { provider, secret } = webhook;
    const now = this.#app.clock.now();
    const bytes = await bodyOf(request, provider);
    const body = parse(bytes);
    const given = { headers: request.headers, bytes, body };
    const tools = { now, topics: this.#topics };
    const proved = await proveWebhook(provider, given, secret, tools).catch(orAway);
    const reports = readWebhook(provider, proved.events);
    if (reports.length > maxReports) throw tooLarge(`More than ${maxReports} reports in one request`);
    if (proved.confirm) {
      await proved.confirm().catch(orAway);
      this.#app.log.info({ idRoute }, 'subscription of a webhook confirmed');
    }
    return this.#writes.run(() => this.#record(idRoute, webhook, proved.id, reports, now));
  }

  async #record(
    idRoute: number,
    webhook: RouteWebhook,
    id: string | undefined,
    reports: readonly ProviderReport[],
    at: Date,
  ): Promise<Outcome> {
    if (id === undefined) {
      await this.#enter(webhook, reports, at);
      return 'taken';
    }
    const digest = createHash('sha256').update(`${webhook.provider} ${id}`).digest();
    // Inserted before the reports and committed with them: a second request with this id waits for the commit, and a
    // request that is repeated after a crash is accepted.
    return this.#app.control.transaction(async (tx) => {
      if (!(await noteWebhookRequest(tx, idRoute, digest, at))) return 'repeated';
      await this.#enter(webhook, reports, at);
      return 'taken';
    });
  }

  /** Records the reports with a recipient of the site that we signed, and counts the others as lost. */
  async #enter(
    { idSite, provider }: RouteWebhook,
    reports: readonly ProviderReport[],
    at: Date,
  ): Promise<void> {
    const named = reports.flatMap((report) => {
      const of = claimedRecipient(this.#app.secrets, report);
      return of?.idSite === idSite ? [{ report, of }] : [];
    });
    const unnamed = reports.length - named.length;
    if (unnamed > 0) this.#lost.ofWebhook(unnamed, { provider, idSite });
    for (let i = 0; i < named.length; i += recordedAtOnce) {
      const some = named.slice(i, i + recordedAtOnce);
      await Promise.all(some.map(({ report, of }) => enterReport(this.#app, report, of, at)));
    }
  }
}

/** @throws 503 if Amazon is unavailable, which is not the fault of the request. */
function orAway(error: unknown): never {
  if (error instanceof FetchFailure) throw unavailable(`Amazon is unavailable: ${error.message}`);
  throw error;
}

const fetcherOf =
  ({ config }: App): FetchOfSns =>
  (address) =>
    fetchPublic(address, {
      allowed: config.privateNetworks,
      maxBytes: 64 * 1024,
      timeoutMs: 10_000,
      accept: '*/*',
    });

/** @throws 413, 415 */
async function bodyOf(request: IncomingMessage, provider: WebhookProvider): Promise<Buffer> {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers;
  // SNS sends its JSON as text.
  const isJson = /^application\/json\b/i.test(type) || (provider === 'ses' && /^text\/plain\b/i.test(type));
  if (!isJson || encoding !== 'identity')
    throw new Refusal(415, 'malformed', 'The body must be JSON, and not compressed');
  const bytes = await readBytes(request, maxBytes);
  if (!bytes) throw tooLarge(`The body is larger than ${maxBytes} bytes, or incomplete`);
  return bytes;
}

/** @throws 400 */
function parse(bytes: Buffer): unknown {
  const text = bytes.toString();
  const excess = isUtf8(bytes) ? jsonExcess(text) : 'The body is not written in UTF-8';
  if (excess !== undefined) throw new Refusal(400, 'malformed', excess);
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 'malformed', 'The body is not JSON');
  }
}

function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  more: Readonly<Record<string, string>> = {},
): void {
  const always = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
  response.writeHead(status, { ...always, 'x-content-type-options': 'nosniff', ...more });
  response.end(`${text}\n`);
}
