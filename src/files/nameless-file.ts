import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { TableError } from './table.ts';
import { sizeText } from './unpacked.ts';

/** Opens a temporary file without a name: it cannot be opened by others, and is deleted with its handle. */
export async function openNamelessFile(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `nameless-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

/** Copies content to a file without a name, which the caller closes. @throws TableError above `maxBytes` */
export async function intoNamelessFile(
  source: AsyncIterable<Buffer>,
  folder: string,
  maxBytes: number,
): Promise<FileHandle> {
  const file = await openNamelessFile(folder);
  try {
    let bytes = 0;
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new TableError(`The file is larger than ${sizeText(maxBytes)}`);
      await writeWhole(file, chunk);
    }
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Writes all of a buffer, from `place` on; without one where the file was left. */
export async function writeWhole(file: FileHandle, bytes: Buffer, place?: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const position = place === undefined ? null : place + at;
    at += (await file.write(bytes, at, bytes.length - at, position)).bytesWritten;
  }
}
