import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** Shorter answers are sent again at less cost than a comparison has. */
const leastBytes = 1024;

/**
 * Adds ETags to longer responses, and returns 304 to holders of the text. Weak, because compression may differ; that of
 * a versioned record (versions.ts) is not, because If-Match needs a strong one: its version, a dot, and the digest.
 */
export function addEntityTags(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || reply.statusCode !== 200 || typeof payload !== 'string') return payload;
    const version = reply.getHeader('etag');
    if (version === undefined && Buffer.byteLength(payload) < leastBytes) return payload;
    const digest = createHash('sha256').update(payload).digest('base64url').slice(0, 22);
    // The response shows more than its record: the version alone would not do for If-None-Match.
    const tag = version === undefined ? `"${digest}"` : `${String(version).slice(0, -1)}.${digest}"`;
    reply.header('etag', version === undefined ? `W/${tag}` : tag);
    if (!namesTag(request.headers['if-none-match'], tag)) return payload;
    reply.code(304);
    return '';
  });
}

/** Whether an If-None-Match names a tag; it is compared weakly (RFC 9110, 13.1.2). */
export function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag);
}
