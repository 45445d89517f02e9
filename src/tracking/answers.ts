import type { IncomingMessage, ServerResponse } from 'node:http';
import { languageOf, type PageLanguage } from '../contents/page-language.ts';
import type { PageName } from './page-words.ts';
import { makePage, type Page, type PageFrame } from './pages.ts';

// The smallest GIF: one transparent pixel.
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const noStore = 'no-store, max-age=0';

/** Headers of everything except redirects: not cached, of the given type only, and not indexed by search engines. */
const always = {
  'cache-control': noStore,
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
} as const;

/** Redirects the reader. `location` was stored by us and holds only visible ASCII. */
export function sendRedirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location, 'cache-control': noStore, 'content-length': 0 });
  response.end();
}

export function sendPixel(response: ServerResponse): void {
  response.writeHead(200, { ...always, 'content-type': 'image/gif', 'content-length': pixel.length });
  // Node omits the body of a response to HEAD.
  response.end(pixel);
}

/** Sends one of our own pages. @param frame of the sender; by default only the reader's language */
export function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  name: PageName,
  headers: Readonly<Record<string, string>> = {},
  frame: PageFrame = { language: languageOf(request.headers['accept-language']) },
): void {
  sendOwnHtml(response, status, frame.language, makePage(name, frame), headers);
}

/** Sends one of our own pages that was made for this response. */
export function sendOwnHtml(
  response: ServerResponse,
  status: number,
  language: PageLanguage,
  { html, policy }: Page,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    ...always,
    'content-type': 'text/html; charset=utf-8',
    'content-length': html.length,
    'content-language': language,
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    vary: 'accept-language',
    ...headers,
  });
  response.end(html);
}

/**
 * Sends a customer's HTML from our address: in a sandbox with its own origin, without scripts and forms, so that it
 * cannot read anything on our address. Links open as usual.
 */
export function sendForeignHtml(response: ServerResponse, html: string): void {
  const body = Buffer.from(html);
  response.writeHead(200, {
    ...always,
    'content-type': 'text/html; charset=utf-8',
    'content-length': body.length,
    'content-security-policy':
      'sandbox allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation; ' +
      "default-src 'none'; img-src http: https: data:; style-src 'unsafe-inline' http: https:; " +
      "font-src http: https: data:; media-src http: https:; base-uri 'none'; form-action 'none'; " +
      "frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
  });
  response.end(body);
}

/**
 * Reads a body as text; undefined if it is larger than `maxBytes` or the client disconnected before its end. The excess
 * is read and dropped, so that the client gets to read the response.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  return (await readBytes(request, maxBytes))?.toString('utf8');
}

/** Reads a body as bytes; see `readBody`. */
export function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    // A client that disconnected earlier causes no further event.
    if (request.destroyed) return resolve(undefined);
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
      else resolve(undefined);
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', () => resolve(undefined));
    request.once('close', () => resolve(undefined));
  });
}
