import { createHash } from 'node:crypto';
import type { App } from '../platform/app.ts';
import { advisoryLock } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import type { Lookup } from '../platform/egress.ts';
import { FetchFailure, fetchPublic } from '../platform/egress-fetch.ts';
import { Refusal, unavailable } from '../platform/http/refusal.ts';
import { Semaphore } from '../platform/semaphore.ts';
import { htmlPictures, type PicturePlace, replacePictures } from './html-pictures.ts';
import { hostedName, maxPictureBytes, type PictureFile } from './picture.ts';
import { picturePrefix, pictureUrl } from './picture-address.ts';
import { readPictureFile } from './picture-file.ts';
import { insertPictureOnce } from './picture-store.ts';

const maxHosted = 100;
/** Maximum size of all of them: they are in memory until they are stored together. */
const maxBytesInAll = 30 * 1024 ** 2;
const fetchesAtOnce = 4;
/** Time limits of one fetch, and of all fetches including waits: a caller waits for the response. */
const fetchTimeoutMs = 10_000;
const allTimeoutMs = 20_000;

/** Contents whose pictures this process fetches concurrently, and those that may wait. */
const fetching = new Semaphore('contents with pictures to host', { permits: 2, waiting: 20 });

/** The result for one URL of the contents. */
export interface HostedPicture {
  readonly currentUrl: string;
  /** Null if the address was not changed. */
  readonly newUrl: string | null;
  readonly status: 'uploaded' | 'uploadError';
  readonly error: string | null;
}

/** The pictures of a content, fetched and read, not yet stored. */
export interface FetchedPictures {
  readonly html: string;
  readonly places: readonly PicturePlace[];
  /** The pictures in the order of their first positions, or the reasons why there is none. */
  readonly found: ReadonlyMap<string, PictureFile | string>;
}

/**
 * Fetches the pictures of a content that are on other hosts, each address once. Holds no database connection. A picture
 * that cannot be fetched is reported and keeps its address.
 * @throws 503 when too many contents wait, or the caller disconnected
 */
export async function fetchPictures(
  app: App,
  html: string,
  { signal, lookup }: { readonly signal?: AbortSignal; readonly lookup?: Lookup } = {},
): Promise<FetchedPictures> {
  const own = `${app.publicUrl}${picturePrefix}`;
  const places = htmlPictures(html).filter(({ url }) => !url.startsWith(own));
  const urls = [...new Set(places.map(({ url }) => url))];
  const withTags = new Set(places.filter(({ hasTags }) => hasTags).map(({ url }) => url));
  const toFetch = urls.filter((url) => !withTags.has(url)).slice(0, maxHosted);
  const late = AbortSignal.timeout(allTimeoutMs);
  const ended = signal ? AbortSignal.any([late, signal]) : late;
  const work = () => fetchAll(app, toFetch, { signal: ended, ...(lookup && { lookup }) });
  const fetched = toFetch.length > 0 ? await fetching.run(work) : new Map<string, PictureFile | string>();
  if (signal?.aborted) throw unavailable('The request ended before its pictures were fetched');
  const found = urls.map((url): [string, PictureFile | string] => [
    url,
    fetched.get(url) ??
      (withTags.has(url)
        ? 'contains a tag, so the address differs for each reader'
        : `only the first ${maxHosted} pictures are hosted`),
  ]);
  return { html, places, found: new Map(found) };
}

async function fetchAll(
  app: App,
  urls: readonly string[],
  options: { readonly signal: AbortSignal; readonly lookup?: Lookup },
): Promise<Map<string, PictureFile | string>> {
  const found = new Map<string, PictureFile | string>();
  const known = new Map<string, PictureFile>();
  const waiting = [...urls];
  let bytes = 0;
  const worker = async () => {
    for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
      const file = await fetchOne(app, url, options);
      if (typeof file === 'string') {
        found.set(url, file);
        continue;
      }
      // Identical bytes at two addresses are held once.
      const digest = createHash('sha256').update(file.content).digest('hex');
      const size = known.has(digest) ? 0 : file.content.length;
      if (bytes + size > maxBytesInAll) {
        // No further picture is requested; those in transit are kept if they fit.
        waiting.length = 0;
        continue;
      }
      bytes += size;
      known.set(digest, known.get(digest) ?? file);
      found.set(url, known.get(digest)!);
    }
  };
  await Promise.all(Array.from({ length: fetchesAtOnce }, worker));
  const excess = `all pictures together are larger than ${maxBytesInAll} bytes`;
  for (const url of urls) if (!found.has(url)) found.set(url, excess);
  return found;
}

/** Fetches a picture, or returns the reason why there is none. */
async function fetchOne(
  app: App,
  url: string,
  options: { readonly signal: AbortSignal; readonly lookup?: Lookup },
): Promise<PictureFile | string> {
  const limits = { maxBytes: maxPictureBytes, timeoutMs: fetchTimeoutMs };
  // An address without a scheme is fetched by TLS, as mail programs read mail.
  const address = url.startsWith('//') ? `https:${url}` : url;
  try {
    const bytes = await fetchPublic(address, { ...options, ...limits, allowed: app.config.privateNetworks });
    return await readPictureFile(bytes, 'url');
  } catch (error) {
    if (error instanceof FetchFailure || error instanceof Refusal) return error.message;
    throw error;
  }
}

export interface Hosting {
  readonly app: App;
  readonly idDirectory: number | null;
  readonly author: { readonly id: number; readonly name: string };
  readonly at: Date;
}

/** Stores fetched pictures in their content's transaction; returns the new content, and each one's result. */
export async function storePictures(
  tx: SiteDb,
  { html, places, found }: FetchedPictures,
  { app, idDirectory, author, at }: Hosting,
): Promise<{ html: string; result: HostedPicture[] }> {
  const newUrls = new Map<string, string>();
  const result: HostedPicture[] = [];
  // One content of a site at a time. Otherwise two with the same new pictures in different orders could deadlock, or
  // both add a picture that should exist once.
  await tx.run(advisoryLock(`hosted pictures of ${tx.site.schema}`));
  for (const [currentUrl, file] of found) {
    if (typeof file === 'string') {
      result.push({ currentUrl, newUrl: null, status: 'uploadError', error: file });
      continue;
    }
    const name = hostedName(currentUrl.startsWith('//') ? `https:${currentUrl}` : currentUrl);
    const values = { name, fileName: `${name}.${file.type}`, idDirectory, author, at };
    const stored = await insertPictureOnce(tx, file, values, app.config.pictureQuotaBytes);
    const newUrl = pictureUrl(app.publicUrl, { idSite: tx.site.id, ...stored });
    newUrls.set(currentUrl, newUrl);
    result.push({ currentUrl, newUrl, status: 'uploaded', error: null });
  }
  return { html: replacePictures(html, places, newUrls), result };
}
