import { pipeline, type Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CsvError } from './csv-splitter.ts';

/** The most that is read of one file, packed or not. */
export const maxFileBytes = 20 * 1024 ** 3;
/** A packed file that grows more than this is taken for a bomb, once there is enough of it to tell. */
const maxRatio = 100;
const ratioFromBytes = 1024 ** 2;

/** Why a file of this name is not read, or undefined. */
export function unreadableName(name: string): string | undefined {
  if (/\.xls$/i.test(name)) return '.xls files are not read: save the sheet as CSV';
  if (/\.(xlsx|xlsm|ods)(\.gz)?$/i.test(name)) return 'spreadsheets are not read yet: save the sheet as CSV';
  if (/\.(zip|7z|rar|bz2|xz|tar|tgz|tar\.gz)$/i.test(name))
    return 'this packing is not read: send the file plain or as .gz';
  return undefined;
}

/**
 * The file's content: unpacked when its name ends with `.gz`. Errors of the source and of the unpacking end the
 * stream with a CsvError that says what is wrong with the file.
 */
export function unpacked(name: string, source: Readable): Readable {
  const isPacked = /\.gz$/i.test(name);
  let packedBytes = 0;
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      packedBytes += chunk.length;
      done(null, chunk);
    },
  });
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxFileBytes) return done(new CsvError('The file is larger than 20 GB'));
      if (isPacked && bytes > ratioFromBytes && bytes > packedBytes * maxRatio) {
        return done(new CsvError(`The file grows more than ${maxRatio} times when it is unpacked`));
      }
      done(null, chunk);
    },
  });
  // The error reaches the reader through the last stream; the callback only keeps it from being thrown twice.
  if (!isPacked) return pipeline(source, limit, () => undefined);
  const gunzip = createGunzip();
  gunzip.on('error', (error) => limit.destroy(new CsvError(`The file cannot be unpacked: ${error.message}`)));
  return pipeline(source, count, gunzip, limit, () => undefined);
}
