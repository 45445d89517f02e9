import { isDeepStrictEqual } from 'node:util';
import { showValue } from '../fields/field-value.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { Refusal } from '../platform/http/refusal.ts';
import { type Fields, type FieldValue, parseUpdate, positioned, type UnfitValue } from './subscriber.ts';
import { type Change, lockSubscribers, readSubscribers } from './subscriber-store.ts';

/** A requested change of an existing subscriber. */
export interface AskedChange {
  readonly id: number;
  readonly fields: readonly FieldValue[];
}

interface Unfit extends UnfitValue {
  readonly id: number;
  readonly position: number;
}

/**
 * Locks subscribers and reads their requested changes, in the order of the call. A value that cannot be written is
 * skipped if the subscriber already has it, because callers send back what they have read. Unknown ids keep their
 * places.
 * @throws 400 with the position of the first invalid element
 */
export async function lockAndRead(
  tx: SiteDb,
  fields: Fields,
  asked: readonly AskedChange[],
): Promise<Change[]> {
  const { changes, unfit, fault } = parseAll(fields, asked);
  await lockSubscribers(
    tx,
    asked.map(({ id }) => id),
  );
  const changed = await firstChanged(tx, unfit, changes);
  const first = [changed, fault].sort(
    (a, b) => (a?.position ?? asked.length) - (b?.position ?? asked.length),
  )[0];
  if (first) throw positioned(first.refusal, first.position, asked.length);
  return changes;
}

interface Fault {
  readonly position: number;
  readonly refusal: Refusal;
}

/** Parses elements up to the first that is invalid, whatever the subscriber has. */
function parseAll(
  fields: Fields,
  asked: readonly AskedChange[],
): { readonly changes: Change[]; readonly unfit: Unfit[]; readonly fault?: Fault } {
  const changes: Change[] = [];
  const unfit: Unfit[] = [];
  for (const [position, { id, fields: given }] of asked.entries()) {
    try {
      const parsed = parseUpdate(fields, given);
      changes.push({ id, values: parsed.values });
      unfit.push(...parsed.unfit.map((one) => ({ ...one, id, position })));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { changes, unfit, fault: { position, refusal: error } };
    }
  }
  return { changes, unfit };
}

/** The first of the values that the subscriber does not have, or no longer has after an earlier element of the call. */
async function firstChanged(
  tx: SiteDb,
  unfit: readonly Unfit[],
  changes: readonly Change[],
): Promise<Fault | undefined> {
  if (unfit.length === 0) return undefined;
  const rows = await readSubscribers(
    tx,
    unfit.map(({ id }) => id),
    new Set(unfit.map(({ field }) => field)),
  );
  // By subscriber and field, the position of the first element that writes it.
  const written = new Map<string, number>();
  for (const [position, { id, values }] of changes.entries())
    for (const idField of values.keys()) {
      const key = `${id} ${idField}`;
      if (!written.has(key)) written.set(key, position);
    }
  return unfit.find(({ id, field, value, position }) => {
    const row = rows.get(id);
    const isKept = row && isDeepStrictEqual(showValue(field, row[`fld${field.id}`]), value);
    return !isKept || (written.get(`${id} ${field.id}`) ?? position) < position;
  });
}
