import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { App } from '../platform/app.ts';
import { namesTag } from '../platform/http/entity-tag.ts';
import { Refusal } from '../platform/http/refusal.ts';
import { giveRequestId, requestIdOf } from '../platform/http/request-id.ts';
import type { RawHandler } from '../platform/http/server.ts';
import { Semaphore } from '../platform/semaphore.ts';
import { within } from '../platform/within.ts';
import { pictureTypes } from './picture.ts';
import { type PictureAddress, picturePrefix, readPicturePath } from './picture-address.ts';
import { findFile } from './picture-store.ts';

const maxCachedBytes = 64 * 1024 ** 2;
/** Maximum size of the pictures in transit, in addition: slow readers hold them. */
const maxSendingBytes = 128 * 1024 ** 2;
/** Maximum number of unknown keys that are remembered, so that repeated requests query the database once. */
const maxUnknown = 10_000;
const unknownMs = 60_000;
const readsAtOnce = 6;
const maxWaiting = 200;
const readTimeoutMs = 5_000;
const sendTimeoutMs = 120_000;

const headers = {
  'x-content-type-options': 'nosniff',
  // Opened directly, a file that is more than a picture does nothing: its own origin, no scripts, no loads.
  'content-security-policy': "default-src 'none'; sandbox",
  // Mail is read on pages of other origins.
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
} as const;
/** The cache header of pictures, which never change. */
const forEver = 'public, max-age=31536000, immutable';

/** Handles `/p/…`, the public addresses of pictures, before the router; returns whether it handled a request. */
export function pictureHandler(app: App): RawHandler {
  const server = new PictureServer(app);
  return (request, response) => server.handle(request, response);
}

class PictureServer {
  readonly #app: App;
  readonly #cache = new LRUCache<string, Buffer>({
    maxSize: maxCachedBytes,
    sizeCalculation: (content) => content.length,
    // A deleted picture is served for at most this time.
    ttl: 60_000,
  });
  readonly #unknown = new LRUCache<string, true>({ max: maxUnknown, ttl: unknownMs });
  /** Reads in progress, by key: concurrent readers share one. */
  readonly #reading = new Map<string, Promise<Buffer | undefined>>();
  readonly #reads = new Semaphore('pictures', { permits: readsAtOnce, waiting: maxWaiting });
  readonly #sending = new Map<Buffer, number>();
  #sendingBytes = 0;

  constructor(app: App) {
    this.#app = app;
  }

  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const path = request.url ?? '';
    if (!path.startsWith(picturePrefix)) return false;
    giveRequestId(response);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      sendText(response, 405, 'Only GET and HEAD', { allow: 'GET, HEAD' });
      return true;
    }
    // A request behind others on its connection waits for its turn and holds nothing until then: if the connection ends
    // first, no event reports it.
    if (!response.socket) {
      response.once('socket', () => this.handle(request, response));
      return true;
    }
    const address = readPicturePath(path);
    const key = address && `${address.idSite} ${address.key} ${address.type}`;
    const known = key === undefined ? undefined : this.#cache.get(key);
    if (!address || !key || this.#unknown.get(key)) sendText(response, 404, 'Picture not found');
    else if (known) this.#send(request, response, address, known);
    else void this.#readAndSend(request, response, address, key);
    return true;
  }

  async #readAndSend(
    request: IncomingMessage,
    response: ServerResponse,
    address: PictureAddress,
    key: string,
  ): Promise<void> {
    try {
      const content = await this.#read(address, key);
      if (content) this.#send(request, response, address, content);
      else sendText(response, 404, 'Picture not found');
    } catch (error) {
      if (!(error instanceof Refusal)) {
        const about = { err: error, requestId: requestIdOf(response) };
        this.#app.log.error(about, 'picture could not be read');
      }
      sendText(response, 503, 'Please try again', { 'retry-after': '5' });
    }
  }

  #read(address: PictureAddress, key: string): Promise<Buffer | undefined> {
    const inFlight = this.#reading.get(key);
    if (inFlight) return inFlight;
    const reading = this.#reads
      .run(() => within('The picture store', readTimeoutMs, this.#find(address)))
      .then((content) => {
        // A picture larger than the cache would not be stored; there is none.
        if (content) this.#cache.set(key, content);
        else this.#unknown.set(key, true);
        return content;
      })
      .finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }

  async #find({ idSite, key, type }: PictureAddress): Promise<Buffer | undefined> {
    const db = await this.#app.siteById(idSite);
    return db && findFile(db, key, type);
  }

  #send(
    request: IncomingMessage,
    response: ServerResponse,
    { key, type }: PictureAddress,
    content: Buffer,
  ): void {
    // A client that disconnected during the read causes no further event: its permit would never be released.
    if (response.destroyed) return;
    const lasting = { ...headers, 'cache-control': forEver, etag: `"${key}"` };
    if (namesTag(request.headers['if-none-match'], `"${key}"`)) {
      response.writeHead(304, lasting).end();
      return;
    }
    if (!this.#hold(response, content)) {
      sendText(response, 503, 'Please try again', { 'retry-after': '5' });
      return;
    }
    const about = { 'content-type': pictureTypes[type].media, 'content-length': content.length };
    response.writeHead(200, { ...lasting, ...about });
    // Node omits the body of a response to HEAD.
    response.end(content);
  }

  /** Counts a picture as in transit until its response has ended; false if too much is. */
  #hold(response: ServerResponse, content: Buffer): boolean {
    const holders = this.#sending.get(content) ?? 0;
    if (holders === 0) {
      if (this.#sendingBytes + content.length > maxSendingBytes) return false;
      this.#sendingBytes += content.length;
    }
    this.#sending.set(content, holders + 1);
    const timer = setTimeout(() => response.destroy(), sendTimeoutMs).unref();
    response.once('close', () => {
      clearTimeout(timer);
      const left = this.#sending.get(content)! - 1;
      if (left > 0) return void this.#sending.set(content, left);
      this.#sending.delete(content);
      this.#sendingBytes -= content.length;
    });
    return true;
  }
}

function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  more: Readonly<Record<string, string>> = {},
): void {
  const type = 'text/plain; charset=utf-8';
  response.writeHead(status, { ...headers, 'cache-control': 'no-store', 'content-type': type, ...more });
  response.end(`${text}\n`);
}
