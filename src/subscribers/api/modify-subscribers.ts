import type { Field } from '../../fields/field.ts';
import { holdFields } from '../../fields/field-store.ts';
import { againAfterDeadlock } from '../../platform/db/database.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import { Refusal } from '../../platform/http/refusal.ts';
import { Nullable, Type } from '../../platform/http/schema.ts';
import { AnswerSize, inParts, readAtATime } from '../answer-size.ts';
import { type AskedChange, lockAndRead } from '../asked-changes.ts';
import { refusalOf } from '../creation.ts';
import { sourceOf, type Writing } from '../field-change.ts';
import { byId, maxPerCall, positioned, Subscriber, SubscriberChange, showSubscriber } from '../subscriber.ts';
import { type Change, updateSubscribers } from '../subscriber-store.ts';
import { groupsOfDistinct, type Placed } from '../subscription.ts';

export const modifySubscribers = siteOperation({
  id: 'modifySubscribers',
  method: 'PUT',
  path: '/subscribers',
  right: 'write',
  unaudited: 'bulk',
  tag: 'Subscribers',
  summary: 'Modify subscribers',
  description:
    'Modifies all subscribers, or none if one cannot be modified. Returns null for an unknown id. Subscribers can be ' +
    'sent back as they were read: a value that cannot be written is accepted if it does not change.',
  body: Type.Array(SubscriberChange, { maxItems: maxPerCall }),
  bodyMegabytes: largeBodyMegabytes,
  example: [{ id: 1, fields: [{ idField: 40, value: '69001' }] }],
  reply: Type.Array(Nullable(Subscriber)),
  refusals: [409, 413],
  handle: ({ db, body, now, caller }) => modifyAll(db, body, { at: now, by: sourceOf(caller) }),
});

/**
 * Modifies subscribers in one transaction, all or none; null for an unknown id. If a subscriber is in the call twice,
 * the later element sees what the earlier one wrote.
 * @throws Refusal naming the position of the element that cannot be done.
 */
async function modifyAll(
  db: SiteDb,
  asked: readonly AskedChange[],
  writing: Writing,
): Promise<(Subscriber | null)[]> {
  // The rows are locked in order, but not the addresses: two calls may set the same ones in different orders.
  const work = (groupsOf: GroupsOf) =>
    againAfterDeadlock(() =>
      db.transaction(async (tx) => {
        const held = await holdFields(tx);
        const changes = await lockAndRead(tx, byId(held), asked);
        return modifyInGroups(tx, held, changes, { groupsOf, writing });
      }),
    );
  try {
    return await work(inFewGroups);
  } catch (error) {
    if (error instanceof Refusal || !refusalOf(error)) throw error;
    // In one statement an address may reach its next owner before its last one has released it.
    return work(inOrder);
  }
}

type GroupsOf = (changes: readonly Change[]) => Placed<Change & { idSubscriber: number }>[][];

const named = (changes: readonly Change[]) =>
  changes.map((change) => ({ ...change, idSubscriber: change.id }));
const inFewGroups: GroupsOf = (changes) => groupsOfDistinct(named(changes));
const inOrder: GroupsOf = (changes) => named(changes).map((element, position) => [{ element, position }]);

async function modifyInGroups(
  tx: SiteDb,
  held: readonly Field[],
  changes: readonly Change[],
  { groupsOf, writing }: { readonly groupsOf: GroupsOf; readonly writing: Writing },
): Promise<(Subscriber | null)[]> {
  const fields = byId(held);
  const results: (Subscriber | null)[] = changes.map(() => null);
  const size = new AnswerSize();
  const atATime = readAtATime(held);
  for (const group of groupsOf(changes).flatMap((whole) => inParts(whole, atATime))) {
    const rows = await updateSubscribers(
      tx,
      fields,
      group.map(({ element }) => element),
      writing,
    ).catch((error: unknown) => {
      const refusal = groupsOf === inOrder ? refusalOf(error) : undefined;
      throw refusal ? positioned(refusal, group[0]!.position, changes.length) : error;
    });
    size.add(rows.values());
    for (const { element, position } of group) {
      const row = rows.get(element.id);
      if (row) results[position] = showSubscriber(row, held);
    }
  }
  return results;
}
