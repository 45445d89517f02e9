import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { readTable } from '../../files/table-reader.ts';
import type { Database } from '../../platform/db/database.ts';
import { geoNamesFormat, type LoadedPostcodes, loadPostcodes } from './load-postcodes.ts';

/** Loads a local file that the command line names. */
export async function loadPostcodeFile(control: Database, path: string, at: Date): Promise<LoadedPostcodes> {
  const disk = {
    stat: async () => {
      const found = await stat(path).catch(() => undefined);
      return found?.isFile() ? { size: found.size, modifiedAt: found.mtime } : undefined;
    },
    settlesMs: 25,
    read: async (): Promise<Readable> => createReadStream(path),
  };
  const groups = readTable(disk, path, { format: geoNamesFormat, tmpDir: tmpdir() });
  return loadPostcodes(control, { name: basename(path), groups }, at);
}
