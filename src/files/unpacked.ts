import { pipeline, type Readable, Transform } from 'node:stream';
import type { Gunzip, InflateRaw } from 'node:zlib';
import { TableError } from './table.ts';

/** The most that is read of one file, packed or not. */
export const maxFileBytes = 20 * 1024 ** 3;
/** Content that grows more than this is taken for a bomb, once there is enough of it to tell. */
const maxRatio = 100;
const ratioFromBytes = 1024 ** 2;

/** Whether `bytes` of content from `packedBytes` can only be a bomb. */
export function isBomb(bytes: number, packedBytes: number): boolean {
  return bytes > ratioFromBytes && bytes > packedBytes * maxRatio;
}
export const bombMessage = `The file grows more than ${maxRatio} times when it is unpacked`;

/** Why a file of this name is not read, or undefined. */
export function unreadableName(name: string): string | undefined {
  if (/\.xls$/i.test(name)) return '.xls files are not read: save the sheet as XLSX or CSV';
  if (/\.(xlsb|ods|numbers)(\.gz)?$/i.test(name))
    return 'of spreadsheets only XLSX is read: save it as XLSX or CSV';
  if (/\.(7z|rar|bz2|xz|zst|tar|tgz|tar\.gz)$/i.test(name))
    return 'this packing is not read: send the file plain, as .gz or as .zip';
  return undefined;
}

/** Passes content on, up to a size. @throws TableError through the stream */
export function capped(source: Readable, maxBytes = maxFileBytes): Readable {
  // The error reaches the reader through the last stream; the callback only keeps it from being thrown twice.
  return pipeline(source, cap(maxBytes), () => undefined);
}

/** Unpacks content up to a size; a fault of the packing, or a bomb, ends the stream with a TableError. */
export function inflated(source: Readable, inflate: Gunzip | InflateRaw, maxBytes = maxFileBytes): Readable {
  let packedBytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      packedBytes += chunk.length;
      done(null, chunk);
    },
  });
  const limit = cap(maxBytes, (bytes) => isBomb(bytes, packedBytes));
  inflate.on('error', (error) =>
    limit.destroy(new TableError(`The file cannot be unpacked: ${error.message}`)),
  );
  return pipeline(source, count, inflate, limit, () => undefined);
}

function cap(maxBytes: number, isTooMuch: (bytes: number) => boolean = () => false): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) return done(new TableError(`The content is larger than ${sizeText(maxBytes)}`));
      if (isTooMuch(bytes)) return done(new TableError(bombMessage));
      done(null, chunk);
    },
  });
}

/** A size as it is said: 20 GB, 16 MB. */
export function sizeText(bytes: number): string {
  const gigabyte = 1024 ** 3;
  return bytes >= gigabyte ? `${bytes / gigabyte} GB` : `${bytes / 1024 ** 2} MB`;
}
