import type { FastifyInstance } from 'fastify';
import { vary } from './compression.ts';
import { isOfApi } from './operation.ts';

/**
 * Lets pages of the given origins call the API from a browser (the Fetch standard's CORS protocol). None given, none
 * may, and nothing is answered to OPTIONS. Tokens are sent in a header by the page itself, so no credentials are
 * allowed.
 */
export function addCors(server: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  server.addHook('onRequest', async (request, reply) => {
    if (!isOfApi(request.url)) return;
    // Answers differ by origin, so a cache must keep them apart even where this one is refused.
    vary(reply, 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !origins.includes(origin)) return;
    reply
      .header('access-control-allow-origin', origin)
      .header('access-control-expose-headers', 'x-error-code, x-request-id, retry-after, etag');
    if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return;
    return reply
      .code(204)
      .header('access-control-allow-methods', 'GET, POST, PUT, DELETE')
      .header(
        'access-control-allow-headers',
        'authorization, content-type, idempotency-key, if-match, if-none-match',
      )
      .header('access-control-max-age', '600')
      .send();
  });
}
