import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** Shorter answers are sent again at less cost than a comparison has. */
const leastBytes = 1024;

/** Adds ETags to longer responses, and returns 304 to holders of the text. Weak, because compression may differ. */
export function addEntityTags(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || reply.statusCode !== 200 || typeof payload !== 'string') return payload;
    if (Buffer.byteLength(payload) < leastBytes) return payload;
    const tag = `"${createHash('sha256').update(payload).digest('base64url').slice(0, 22)}"`;
    reply.header('etag', `W/${tag}`);
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
