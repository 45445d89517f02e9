import type { SiteDb } from '../platform/db/site-db.ts';
import { conflict, Refusal } from '../platform/http/refusal.ts';
import type { Field } from './field.ts';
import { readFieldSet } from './field-store.ts';

export interface FieldSet {
  readonly version: number;
  readonly fields: readonly Field[];
  readonly byId: ReadonlyMap<number, Field>;
}

/**
 * The fields of each site when they were last read. A caller proves in the same statement that they are still current
 * (`versionOf`), because another process may have changed them. Reading them for every request would take as long as
 * the request itself (reads of one subscriber: see bench/subscribers.ts).
 */
const lastRead = new WeakMap<SiteDb, FieldSet>();

/**
 * Runs `work` with the fields as last read and, when it finds them stale, again with fresh ones.
 *
 * `work` writes or reads subscribers in one statement that compares `versionOf` with the set's version, and returns
 * undefined when they differ. That is sound because a statement locks the subscriber table before it takes its
 * snapshot, and a change of a column's type needs that table for itself: the version that the statement sees is the
 * one of the columns that it works on.
 */
export async function withFieldSet<T>(
  db: SiteDb,
  work: (set: FieldSet) => Promise<T | undefined>,
): Promise<T> {
  let set = lastRead.get(db) ?? (await readAnew(db));
  for (let tries = 0; tries < 10; tries++) {
    try {
      const result = await work(set);
      if (result !== undefined) return result;
      set = await readAnew(db);
    } catch (error) {
      // What was refused may be right by newer definitions: a field that another process has just added, a column
      // whose type is another one by now.
      if (!(error instanceof Refusal || isTypeMismatch(error))) throw error;
      const before = set.version;
      set = await readAnew(db);
      if (set.version === before) throw error;
    }
  }
  throw conflict('Other requests keep changing the fields; try again later');
}

/**
 * PostgreSQL's errors for a column that has another type by now (“column is of type … but expression is of type …”,
 * “operator does not exist”) or is gone. They come before the version is compared.
 */
const isTypeMismatch = (error: unknown) =>
  ['42804', '42883', '42703'].includes(String((error as { code?: unknown }).code));

async function readAnew(db: SiteDb): Promise<FieldSet> {
  const { version, fields } = await readFieldSet(db);
  const set = { version, fields, byId: new Map(fields.map((field) => [field.id, field])) };
  lastRead.set(db, set);
  return set;
}
