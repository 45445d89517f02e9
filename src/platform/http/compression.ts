import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { isForOperators } from './operators.ts';

/** Shorter answers fit one packet as they are. */
const leastBytes = 1024;
/** In the order in which a server prefers them. */
const encodings = ['br', 'gzip'];

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/**
 * Compresses the JSON and text of a server's responses with Brotli or gzip, whichever the client accepts, outside the
 * event loop. Responses of operations have a length, because they are in memory anyway; files are streamed.
 *
 * Responses of administration and metrics stay uncompressed, because they hold passwords and tokens: a secret that is
 * compressed beside an attacker's words is revealed by its length (BREACH). The others are safe: no browser can be made
 * to request them for another caller, because a token is not sent automatically, as a cookie is.
 */
export function addCompression(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    const isLeft = isForOperators(request) || reply.hasHeader('content-encoding') || !isText(reply);
    if (isLeft) return payload;
    vary(reply, 'Accept-Encoding');
    const encoding = negotiate(request.headers['accept-encoding'] ?? '', encodings);
    if (encoding === null || reply.statusCode === 206) return payload;
    if (payload instanceof Readable) {
      reply.header('content-encoding', encoding).removeHeader('content-length');
      // An error of the file ends both streams; the reply's stream reports it.
      return pipeline(
        payload,
        encoding === 'br' ? createBrotliCompress(brotliOptions()) : createGzip(),
        () => {},
      );
    }
    if (typeof payload !== 'string' || Buffer.byteLength(payload) < leastBytes) return payload;
    const bytes = Buffer.from(payload);
    const compressed = await (encoding === 'br'
      ? brotli(bytes, brotliOptions(bytes.length))
      : gzipped(bytes));
    reply.header('content-encoding', encoding).header('content-length', compressed.length);
    return compressed;
  });
}

/** Brotli's level 5 costs as much as gzip's usual level and compresses better. */
const brotliOptions = (bytes = 0) => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 5,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes,
  },
});

/** Pictures, fonts and archives are compressed formats; events would wait in the compressor. */
function isText(reply: FastifyReply): boolean {
  return /^(?:text\/(?!event-stream)|application\/(?:json|javascript)\b)/.test(
    String(reply.getHeader('content-type') ?? ''),
  );
}

/** Adds a name to the header Vary, which lists what a response depends on. */
export function vary(reply: FastifyReply, name: string): void {
  const before = reply.getHeader('vary');
  reply.header('vary', before === undefined ? name : `${before}, ${name}`);
}
