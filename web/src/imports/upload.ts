import { api, dataOf } from '../api/client.ts';
import { sendingFetch } from '../api/sending-fetch.ts';

/** The largest file that the service accepts over HTTP. */
export const mostBytes = 64 * 2 ** 20;

const [quote, lineFeed] = [0x22, 0x0a];

/** The rows of a text file after its first one, line ends in quoted cells not counted; undefined for other files. */
export async function countRows(file: File): Promise<number | undefined> {
  if (!/\.(csv|txt|tsv)$/i.test(file.name)) return undefined;
  let lines = 0;
  let isQuoted = false;
  let last = lineFeed;
  const reader = file.stream().getReader();
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    for (const byte of chunk.value) {
      if (byte === quote) isQuoted = !isQuoted;
      if (byte === lineFeed && !isQuoted && last !== lineFeed) lines += 1;
      if (byte !== 0x0d) last = byte;
    }
  }
  if (last !== lineFeed) lines += 1;
  return Math.max(0, lines - 1);
}

interface UploadOptions {
  /** Cancels the upload, which then throws an AbortError. */
  readonly signal: AbortSignal;
  /** Called with the number of bytes that have been sent. */
  readonly sent: (bytes: number) => void;
}

/** Uploads a file into the site's folder. Returns its name there. */
export async function uploadFile(idsite: string, file: File, options?: UploadOptions): Promise<string> {
  const { path } = await dataOf(
    api.POST('/v1/{idsite}/files', {
      params: { path: { idsite }, query: { name: file.name } },
      // The body is the file as it is; the types know its text only.
      body: file as unknown as string,
      bodySerializer: (body) => body as unknown as Blob,
      headers: { 'content-type': 'application/octet-stream' },
      ...(options && { signal: options.signal, fetch: sendingFetch(file, options.sent) }),
    }),
  );
  return path;
}
