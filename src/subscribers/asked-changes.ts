import { isDeepStrictEqual } from 'node:util';
import { showValue } from '../fields/field-value.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { Refusal } from '../platform/http/refusal.ts';
import {
  type Fields,
  type FieldValue,
  type GivenValues,
  parseUpdate,
  positioned,
  type SubscriberRow,
} from './subscriber.ts';
import { type Change, lockSubscribers, readSubscribers } from './subscriber-store.ts';

/** What a caller asks of somebody who is there. */
export interface AskedChange {
  readonly id: number;
  readonly fields: readonly FieldValue[];
}

/**
 * Locks subscribers and reads what is asked of them, in the order of the call. A value that cannot be written is passed
 * over when the subscriber has it already: callers send back what they have read. Unknown ids keep their places.
 * @throws 400 with the position of the first element that cannot be done
 */
export async function lockAndRead(
  tx: SiteDb,
  fields: Fields,
  asked: readonly AskedChange[],
): Promise<Change[]> {
  const given = asked.map((one, position) =>
    refusingAt(position, asked.length, () => parseUpdate(fields, one.fields)),
  );
  await lockSubscribers(
    tx,
    asked.map(({ id }) => id),
  );
  const unfit = given.flatMap((one) => one.unfit);
  if (unfit.length > 0) {
    const ids = asked.filter((_, position) => given[position]!.unfit.length > 0).map(({ id }) => id);
    const rows = await readSubscribers(tx, ids, new Set(unfit.map(({ field }) => field)));
    for (const [position, { id }] of asked.entries())
      refusingAt(position, asked.length, () => refuseUnlessKept(given[position]!, rows.get(id)));
  }
  return asked.map(({ id }, position) => ({ id, values: given[position]!.values }));
}

function refuseUnlessKept({ unfit }: GivenValues, row: SubscriberRow | undefined): void {
  for (const { field, value, refusal } of unfit)
    if (!row || !isDeepStrictEqual(showValue(field, row[`fld${field.id}`]), value)) throw refusal;
}

function refusingAt<T>(position: number, count: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof Refusal ? positioned(error, position, count) : error;
  }
}
