import type { IncomingMessage, ServerResponse } from 'node:http';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { languageOf } from '../contents/page-language.ts';
import type { App } from '../platform/app.ts';
import { clientAddressBehind } from '../platform/http/client-address.ts';
import { giveRequestId, requestIdOf } from '../platform/http/request-id.ts';
import type { RawHandler } from '../platform/http/server.ts';
import { networkOf } from '../platform/network.ts';
import { noReportPage, reportPage, reportPolicy } from './report-page.ts';
import { findClickMap, findReport } from './report-store.ts';

const reportLanguage = (header: string | undefined) => (languageOf(header) === 'fr' ? 'fr' : 'en');

const prefix = '/reports/';
const path = /^\/reports\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(\/message)?$/;
/**
 * Maximum number of unknown reports that one address may request in a minute. A GUID cannot be guessed; this saves the
 * database.
 */
const wrongPerMinute = 60;

/** The policy for a customer's HTML in our frame: no script, nothing from other hosts, its own origin. */
const mapPolicy =
  "sandbox; default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; font-src data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/** Handles `/reports/<guid>`, the page of a report, and `/reports/<guid>/message`, its click map. */
export function reportHandler(app: App): RawHandler {
  const addressOf = clientAddressBehind(app.config.trustedProxies);
  const wrong = new RateLimiterMemory({ points: wrongPerMinute, duration: 60 });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url!, 'http://report');
    const asked = url.searchParams.get('lang');
    const language =
      asked === 'fr' || asked === 'en' ? asked : reportLanguage(request.headers['accept-language']);
    const [, guid, map] = path.exec(url.pathname) ?? [];
    const address = networkOf(addressOf(request) ?? '');
    const state = await wrong.get(address);
    if (state && state.consumedPoints >= wrongPerMinute)
      return send(response, 429, 'Too many unknown reports', { 'retry-after': '60' });
    const html =
      guid &&
      (map ? await findClickMap(app.control, guid, app.clock.now()) : await pageOf(app, guid, language, url));
    if (!html) {
      await wrong.consume(address).catch(() => undefined);
      return sendHtml(response, 404, noReportPage(language), reportPolicy);
    }
    sendHtml(response, 200, html, map ? mapPolicy : reportPolicy);
  };
  return (request, response) => {
    if (!request.url?.startsWith(prefix)) return false;
    giveRequestId(response);
    if (request.method !== 'GET' && request.method !== 'HEAD')
      send(response, 405, 'Only GET', { allow: 'GET, HEAD' });
    else
      answer(request, response).catch((error) => {
        app.log.error({ err: error, requestId: requestIdOf(response) }, 'a report cannot be shown');
        send(response, 503, 'The report cannot be shown now; try again', { 'retry-after': '10' });
      });
    return true;
  };
}

async function pageOf(
  app: App,
  guid: string,
  language: 'en' | 'fr',
  { searchParams }: URL,
): Promise<string | undefined> {
  const found = await findReport(app.control, guid, app.clock.now());
  if (!found) return undefined;
  const asked = searchParams.get('mpp');
  const mpp = asked === 'true' || (asked !== 'false' && found.figures.mpp);
  const map = found.hasMap ? `${prefix}${guid}/message` : undefined;
  return reportPage(found.figures, language, mpp, map);
}

const sendHtml = (response: ServerResponse, status: number, html: string, policy: string): void =>
  send(response, status, html, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    vary: 'accept-language',
  });

/**
 * Sends a response, plain text unless `headers` say otherwise. It is not cached and not indexed, and its address is not
 * sent to other sites.
 */
function send(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>>,
): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    'content-type': 'text/plain',
    'cache-control': 'no-store, max-age=0',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex, nofollow',
    'referrer-policy': 'no-referrer',
    'content-length': bytes.length,
    ...headers,
  });
  // Node omits the body of a response to HEAD.
  response.end(bytes);
}
