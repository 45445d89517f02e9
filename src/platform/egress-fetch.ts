import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { egressAddress, isPublicAddress, type Lookup } from './egress.ts';
import { Refusal } from './http/refusal.ts';
import type { Network } from './network.ts';
import { isParsableUrl } from './parsable-url.ts';
import { readAtMost } from './read-at-most.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface FetchOptions {
  /** Networks besides the public Internet that may be connected to. */
  readonly allowed: readonly Network[];
  /** Bytes that the answer may have. */
  readonly maxBytes: number;
  /** For all of it: look-ups, redirects, the last byte. */
  readonly timeoutMs: number;
  /** Ends it before its time. */
  readonly signal?: AbortSignal;
  /** Value of the Accept header. Default: pictures. */
  readonly accept?: string;
  readonly lookup?: Lookup;
}

/** Why something could not be fetched, in words that may be shown to who requested it. */
export class FetchFailure extends Error {}

const maxRedirects = 3;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const publicPorts: ReadonlySet<string> = new Set(['', '80', '443']);
const maxHeadBytes = 16 * 1024;

/**
 * Fetches a user's URL by GET over http or https: from the public Internet at the usual ports, and from networks that
 * the operator allows at any port. Each name is resolved once, and that address is connected to; each redirect is
 * checked like the first URL. No cookies, credentials or referrer are sent. Compressed responses are neither requested
 * nor accepted, so none can expand here.
 * @throws FetchFailure
 */
export async function fetchPublic(address: string, options: FetchOptions): Promise<Buffer> {
  const late = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal ? AbortSignal.any([late, options.signal]) : late;
  try {
    // Work that starts after the time has run out would fail with no caller to report to.
    signal.throwIfAborted();
    return await unlessAborted(signal, follow(address, options, signal));
  } catch (error) {
    if (late.aborted)
      throw new FetchFailure(`no complete response within ${options.timeoutMs / 1000} seconds`);
    if (options.signal?.aborted) throw new FetchFailure('aborted: the total time limit was reached');
    if (error instanceof FetchFailure) throw error;
    if (error instanceof Refusal) throw new FetchFailure(error.message);
    const { code } = error as { code?: string };
    // What broke below: only the code, for messages hold addresses of the inside.
    throw new FetchFailure(`the server cannot be reached (${code ?? 'broken connection'})`);
  }
}

async function follow(address: string, options: FetchOptions, signal: AbortSignal): Promise<Buffer> {
  let url = readUrl(address);
  for (let followed = 0; ; followed++) {
    const answer = await ask(url, options, signal);
    const status = answer.statusCode ?? 0;
    if (!redirects.has(status)) return readAnswer(answer, status, options.maxBytes);
    answer.destroy();
    if (followed === maxRedirects) throw new FetchFailure(`more than ${maxRedirects} redirects`);
    const { location } = answer.headers;
    if (location === undefined || !isParsableUrl(location, url.href))
      throw new FetchFailure(`redirect (HTTP ${status}) without a valid address`);
    url = readUrl(new URL(location, url).href);
  }
}

function readUrl(address: string): URL {
  if (!isParsableUrl(address)) throw new FetchFailure('not a valid URL');
  const url = new URL(address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new FetchFailure(`only http and https are fetched, not ${url.protocol.slice(0, 20)}`);
  if (url.username !== '' || url.password !== '')
    throw new FetchFailure('the URL contains credentials; remove them');
  return url;
}

async function ask(url: URL, options: FetchOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const { allowed, lookup } = options;
  const address = await egressAddress(url.hostname, allowed, { member: 'url', ...(lookup && { lookup }) });
  if (!publicPorts.has(url.port) && isPublicAddress(address))
    throw new FetchFailure(`port ${url.port}: only ports 80 and 443 are allowed`);
  signal.throwIfAborted();
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const family = isIP(address);
  const pinned: RequestOptions = {
    agent: false,
    maxHeaderSize: maxHeadBytes,
    signal,
    headers: {
      accept: options.accept ?? 'image/png, image/jpeg, image/gif, image/webp',
      'accept-encoding': 'identity',
      'user-agent': 'Facteur',
    },
    // The name stays in the request and in TLS; the address is the one that was looked at. A host that is an address
    // itself is connected to without asking this.
    lookup: (_host, { all }, done) => (all ? done(null, [{ address, family }]) : done(null, address, family)),
  };
  return new Promise((resolve, reject) => {
    request(url, pinned, resolve).once('error', reject).end();
  });
}

async function readAnswer(answer: IncomingMessage, status: number, maxBytes: number): Promise<Buffer> {
  try {
    if (status !== 200) throw new FetchFailure(`HTTP ${status}`);
    const encoding = answer.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity')
      throw new FetchFailure('the response is compressed, although it must not be');
    const bytes = await readAtMost(answer, maxBytes);
    if (!bytes) throw new FetchFailure(`larger than ${maxBytes} bytes`);
    return bytes;
  } finally {
    answer.destroy();
  }
}
