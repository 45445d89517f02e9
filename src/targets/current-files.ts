import type { Field } from '../fields/field.ts';
import { openRepository } from '../files/open-repository.ts';
import { isSameFile, type RepositoryFiles } from '../files/repository.ts';
import { TableError } from '../files/table.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { Refusal } from '../platform/http/refusal.ts';
import { beginLoads, failedLoad, forgetFailure, isStillLoading, withLoadedFiles } from './file-loads.ts';
import { findLoaded } from './filter-file-store.ts';
import {
  comparisonOf,
  type FileState,
  fieldOfColumn,
  fileKey,
  type NeededFile,
} from './filters/filter-file.ts';
import { MissingFile, statOf } from './load-file.ts';

interface Look {
  readonly app: App;
  readonly tx: SiteDb;
  readonly files: RepositoryFiles;
  readonly fields: ReadonlyMap<number, Field>;
}

/**
 * The needed files that have not ended, each with its current values in the database, or the reason why it cannot be
 * used. Values of an earlier state never replace it.
 * @throws 503 when the repository is unavailable; 503 `loading` when a file is new or has changed: its load has
 * started, and `withLoadedFiles` waits for it.
 */
export async function currentFiles(
  app: App,
  tx: SiteDb,
  needed: readonly NeededFile[],
  fields: ReadonlyMap<number, Field>,
  at: Date,
): Promise<Map<string, FileState>> {
  const states = new Map<string, FileState>();
  const due = new Map(needed.filter(({ until }) => until > at).map((one) => [fileKey(one), one]));
  if (due.size === 0) return states;
  const unknown: NeededFile[] = [];
  const files = await openRepository(app, tx, null);
  try {
    for (const [key, one] of due) {
      const state = await stateOf({ app, tx, files, fields }, one);
      if (state) states.set(key, state);
      else unknown.push(one);
    }
  } finally {
    await files.close();
  }
  if (unknown.length > 0) throw await beginLoads(app, tx, unknown);
  return states;
}

/**
 * The needed files for a description: an unavailable repository or a file that is still loading is a state, not an
 * error.
 */
export async function describedFiles(
  app: App,
  db: SiteDb,
  needed: readonly NeededFile[],
  fields: ReadonlyMap<number, Field>,
  at: Date,
): Promise<Map<string, FileState>> {
  try {
    return await withLoadedFiles(() => db.transaction((tx) => currentFiles(app, tx, needed, fields, at)));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const trouble = isStillLoading(error) ? 'loading' : error.status === 409 ? 'unreadable' : 'away';
    const state: FileState = { fault: error.message, trouble };
    return new Map(needed.filter(({ until }) => until > at).map((one) => [fileKey(one), state]));
  }
}

/** The state of a file; undefined if its values must be loaded first. */
async function stateOf(of: Look, needed: NeededFile): Promise<FileState | undefined> {
  const { app, tx, files, fields } = of;
  const { filename, dbFieldName } = needed;
  const field = fieldOfColumn(fields, dbFieldName);
  if (!field || !comparisonOf(field))
    return { fault: `${dbFieldName} is not a field that a file can be compared with`, trouble: 'field' };
  try {
    const stat = await statOf(files, filename);
    const known = await findLoaded(tx, filename, field, stat);
    if (known) return known;
    const failed = failedLoad(app, tx, needed);
    if (!failed) return undefined;
    const { failure, stat: found } = failed;
    const isOfFile = isFault(failure);
    if (isOfFile && found && isSameFile(found, stat)) throw failure;
    forgetFailure(app, tx, needed);
    // The failure was that of another file, or of something that may be available again at the next attempt.
    if (isOfFile) return undefined;
    throw failure;
  } catch (error) {
    if (!isFault(error)) throw error;
    return { fault: error.message, trouble: error instanceof MissingFile ? 'missing' : 'unreadable' };
  }
}

function isFault(error: unknown): error is Error {
  return error instanceof TableError || (error instanceof Refusal && error.status < 500);
}
