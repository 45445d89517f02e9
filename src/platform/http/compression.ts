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
 * Compresses the JSON and the texts of a server's answers by Brotli or gzip, whichever the client takes, away from
 * the event loop. Answers of operations have their length: they are in memory anyhow. Files come as streams.
 *
 * Administration is left as it is, and so are metrics, because its answers hold passwords and tokens: a secret that
 * is compressed beside words of an attacker shows itself by its length (BREACH). The rest is compressed: nobody can
 * make a browser ask for it in another caller's name, because a token is sent by hand and not by itself, as a cookie
 * is.
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
      // An error of the file ends both, and is told by the stream that is sent.
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

/** Of Brotli's levels the fifth costs what gzip's usual one does, and makes less of it. */
const brotliOptions = (bytes = 0) => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 5,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes,
  },
});

/** Pictures, fonts and archives are compressed already. */
function isText(reply: FastifyReply): boolean {
  return /^(?:text\/|application\/(?:json|javascript)\b)/.test(String(reply.getHeader('content-type') ?? ''));
}

/** Adds to the header that tells caches what an answer depends on. */
export function vary(reply: FastifyReply, name: string): void {
  const before = reply.getHeader('vary');
  reply.header('vary', before === undefined ? name : `${before}, ${name}`);
}
