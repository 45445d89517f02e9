import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { SentFile } from './operation.ts';

/** Sends a file as a download of no particular type (`nosniff`): a hostile one is saved, not shown. */
export function sendFile(reply: FastifyReply, { name, size, bytes }: SentFile): FastifyReply {
  const isHead = reply.request.method === 'HEAD';
  // Fastify would read the whole file after the response, and so any number of files at a time.
  if (isHead) bytes.destroy();
  return reply
    .header('content-type', 'application/octet-stream')
    .header('content-length', size)
    .header('content-disposition', asAttachment(name))
    .header('content-security-policy', "sandbox; default-src 'none'")
    .send(isHead ? Readable.from([]) : bytes);
}

/** The header Content-Disposition: an ASCII name for old clients, and the name itself (RFC 6266, RFC 8187). */
export function asAttachment(name: string): string {
  const ascii = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^ -~]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
