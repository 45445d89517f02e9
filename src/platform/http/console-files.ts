import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { sendFailure } from './envelope.ts';
import { notFound } from './refusal.ts';

/** Nothing but what the service itself serves; styles may be inline, scripts may not. */
export const consolePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
  "connect-src 'self'; font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/** Seconds for which a browser keeps a file whose name has the hash of its content. */
const yearS = 31_536_000;

/** Serves the built console at /console/: its files, and the page for every address that is a screen's. */
export async function addConsole(server: FastifyInstance, folder: string): Promise<void> {
  server.get('/console', async (_request, reply) => reply.redirect('/console/'));
  if (!existsSync(join(folder, 'index.html'))) return addMissing(server);
  await server.register(
    async (scope) => {
      scope.addHook('onRequest', async (_request, reply) => {
        reply.header('content-security-policy', consolePolicy).header('referrer-policy', 'same-origin');
      });
      await scope.register(fastifyStatic, {
        root: folder,
        index: false,
        preCompressed: true,
        cacheControl: false,
        setHeaders: (reply, path) => {
          reply.header('cache-control', cachingOf(path.slice(folder.length + 1)));
        },
      });
      scope.get('/', { prefixTrailingSlash: 'slash' }, async (_request, reply) =>
        reply.sendFile('index.html'),
      );
      scope.setNotFoundHandler(async (request, reply) => {
        const isRead = request.method === 'GET' || request.method === 'HEAD';
        if (!isRead) return sendFailure(notFound('Route'), request, reply);
        // A file of an older build: the page would be no script.
        if (request.url.startsWith('/console/assets/'))
          return sendText(reply, 'This file is of another version.');
        return reply.code(200).sendFile('index.html');
      });
    },
    { prefix: '/console' },
  );
}

/** The caching of a file: the page is never kept, a file with a hash in its name for a year. */
function cachingOf(name: string): string {
  if (name === 'index.html') return 'no-store';
  return name.startsWith('assets') ? `public, max-age=${yearS}, immutable` : 'no-cache';
}

/** Answers for a checkout without a built console. */
function addMissing(server: FastifyInstance): void {
  server.get('/console/*', async (_request, reply) =>
    sendText(reply, 'The console is not built. Run `npm run build`, then start Facteur again.'),
  );
}

const sendText = (reply: FastifyReply, text: string) =>
  reply.code(404).header('cache-control', 'no-store').type('text/plain; charset=utf-8').send(`${text}\n`);
