import { holdFields } from '../fields/field-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { Refusal } from '../platform/http/refusal.ts';
import { refusalOf } from './creation.ts';
import {
  byId,
  type Fields,
  type FieldValue,
  parseUpdate,
  type Subscriber,
  showSubscriber,
} from './subscriber.ts';
import { type Change, lockSubscribers, positionOfDuplicate, updateSubscribers } from './subscriber-store.ts';
import { runsOfDistinct } from './subscription.ts';

interface Asked {
  readonly id: number;
  readonly fields: readonly FieldValue[];
}

/**
 * Modifies subscribers in one transaction, all or none; null in place of an unknown id. Of somebody who is in the
 * call twice, the later element finds what the earlier one wrote.
 * @throws Refusal naming the position of the element that cannot be done.
 */
export async function modifyAll(db: SiteDb, asked: readonly Asked[]): Promise<(Subscriber | null)[]> {
  const changes: Change[] = [];
  try {
    return await db.transaction(async (tx) => {
      const held = await holdFields(tx);
      changes.push(...parseAll(byId(held), asked));
      await lockSubscribers(
        tx,
        changes.map(({ id }) => id),
      );
      const results: (Subscriber | null)[] = [];
      for (const run of runsOfDistinct(changes.map((change) => ({ ...change, idSubscriber: change.id })))) {
        const rows = await updateSubscribers(tx, byId(held), run);
        for (const { id } of run) {
          const row = rows.get(id);
          results.push(row ? showSubscriber(row, held) : null);
        }
      }
      return results;
    });
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal || refusal === error) throw error;
    throw positioned(refusal, await positionOfDuplicate(db, changes), changes.length);
  }
}

function parseAll(fields: Fields, asked: readonly Asked[]): Change[] {
  return asked.map(({ id, fields: given }, position) => {
    try {
      return { id, values: parseUpdate(fields, given) };
    } catch (error) {
      throw error instanceof Refusal ? positioned(error, position, asked.length) : error;
    }
  });
}

function positioned(refusal: Refusal, position: number | undefined, count: number): Refusal {
  if (position === undefined || count === 1) return refusal;
  return new Refusal(refusal.status, refusal.code, `${refusal.message} (at position ${position})`);
}
