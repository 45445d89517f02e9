import { withFieldSet } from '../fields/field-set.ts';
import { holdFields, readFieldSet } from '../fields/field-store.ts';
import { againAfterDeadlock, isDeadlock, isDuplicate } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { refusalOfFault } from '../platform/http/fault.ts';
import { Refusal, tooLarge } from '../platform/http/refusal.ts';
import { AnswerSize, inParts, readAtATime } from './answer-size.ts';
import { lockAndRead } from './asked-changes.ts';
import {
  byId,
  duplicateClient,
  duplicateEmail,
  maxPerCall,
  type NewSubscriber,
  parseInsert,
  positioned,
  type Subscriber,
  showSubscriber,
} from './subscriber.ts';
import { insertSubscribers, updateSubscribers } from './subscriber-store.ts';

/** Elements that one transaction takes at most. Updates show what was there before as well. */
const maxRun = 1000;

/**
 * Values that an answer to more than `maxPerCall` elements holds at most. To write a million of them keeps everybody
 * waiting for 0.3 s (26 MB, all empty) to 1.2 s (65 MB, texts of 30 characters), and takes 120 MB.
 */
const maxValues = 1_000_000;

/**
 * Creates (without an id) or updates (with one) subscribers, in order, each as if in a transaction of its own; null
 * for an unknown id.
 *
 * Neighbours that cannot disturb each other go in one transaction (a run), which is some hundred times faster. When
 * one of a run fails the transaction is undone, and the run is done again in halves until the element that fails is
 * alone: everything before it is then done, and nothing after it.
 * @throws Refusal of the first element that fails, naming its position; its `data` holds the results before it. The
 * same where no element is to blame (the database is unavailable, too slow, or we are at fault): the call can be
 * resumed
 * at the position named; where the connection broke, the run that begins there may be done all the same. 413 when
 * the answer would have too many values; then nothing is done. Also where the texts of subscribers that are updated
 * become too long for it; that is told like any other refusal.
 */
export async function createAll(
  db: SiteDb,
  elements: readonly NewSubscriber[],
  at: Date,
): Promise<(Subscriber | null)[]> {
  await refuseLongAnswer(db, elements.length);
  const results: (Subscriber | null)[] = [];
  const size = new AnswerSize();
  const todo = runsOf(elements);
  for (let run = todo.shift(); run; run = todo.shift()) {
    try {
      results.push(...(await createRun(db, run, at, size)));
    } catch (error) {
      const refusal = refusalOf(error);
      if (run.length === 1 || !(refusal || isDeadlock(error)))
        throw positioned(refusal ?? refusalOfFault(error), results.length, elements.length, results);
      const half = run.length >> 1;
      todo.unshift(run.slice(0, half), run.slice(half));
    }
  }
  return results;
}

/** The answer shows all fields of each element. As many elements as other calls take are always answered. */
async function refuseLongAnswer(db: SiteDb, count: number): Promise<void> {
  if (count <= maxPerCall) return;
  const { length } = (await readFieldSet(db)).fields;
  const most = Math.max(maxPerCall, Math.floor(maxValues / length));
  if (count > most)
    throw tooLarge(
      `body: must have at most ${most} items: the answer has all ${length} fields of each, ` +
        `and ${maxValues} values at most`,
    );
}

/**
 * Cuts the call into runs: inserts only, or updates of different subscribers only. An update of a unique field is a
 * run of its own, because in one statement an address could pass from one subscriber to the next in the wrong order.
 */
export function runsOf(elements: readonly NewSubscriber[]): NewSubscriber[][] {
  const runs: NewSubscriber[][] = [];
  let ids = new Set<number>();
  for (const element of elements) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    const { id } = element;
    const isAlone = [element, last].some((one) => one !== undefined && isUpdate(one) && changesUnique(one));
    const goesOn =
      run !== undefined &&
      last !== undefined &&
      !isAlone &&
      run.length < maxRun &&
      isUpdate(last) === isUpdate(element) &&
      !(isUpdate(element) && ids.has(id!));
    if (goesOn) run.push(element);
    else {
      runs.push([element]);
      ids = new Set();
    }
    if (isUpdate(element)) ids.add(id!);
  }
  return runs;
}

const isUpdate = ({ id }: NewSubscriber) => id !== undefined && id !== null && id !== 0;
const changesUnique = ({ fields }: NewSubscriber) =>
  fields.some(({ idField }) => idField === 1 || idField === 43);

function createRun(
  db: SiteDb,
  run: readonly NewSubscriber[],
  at: Date,
  size: AnswerSize,
): Promise<(Subscriber | null)[]> {
  const create = () => (isUpdate(run[0]!) ? updateRun(db, run, at, size) : insertRun(db, run, at));
  // Two calls insert the same addresses in different orders, and PostgreSQL ends one of them: halves do not collide so.
  return run.length > 1 ? create() : againAfterDeadlock<(Subscriber | null)[]>(create);
}

function insertRun(db: SiteDb, run: readonly NewSubscriber[], at: Date): Promise<Subscriber[]> {
  return withFieldSet(db, async (set) => {
    const values = run.map((element) => parseInsert(set.byId, element.fields));
    const rows = await insertSubscribers(db, set, values, at);
    return rows?.map((row) => showSubscriber(row, set.fields));
  });
}

async function updateRun(
  db: SiteDb,
  run: readonly NewSubscriber[],
  at: Date,
  size: AnswerSize,
): Promise<(Subscriber | null)[]> {
  const tried = size.copy();
  const updated = await db.transaction(async (tx) => {
    const held = await holdFields(tx);
    const fields = byId(held);
    const asked = run.map((one) => ({ id: one.id!, fields: one.fields }));
    const changes = await lockAndRead(tx, fields, asked);
    const results: (Subscriber | null)[] = [];
    for (const part of inParts(changes, readAtATime(held))) {
      const rows = await updateSubscribers(tx, fields, part, at);
      tried.add(rows.values());
      for (const { id } of part) {
        const row = rows.get(id);
        results.push(row ? showSubscriber(row, held) : null);
      }
    }
    return results;
  });
  // Only now: what is undone and done again, in halves, is shown once.
  size.keep(tried);
  return updated;
}

/** The refusal that an error of a write stands for, if it is one of the caller's. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (isDuplicate(error, 'subscriber_email')) return duplicateEmail();
  if (isDuplicate(error, 'subscriber_client')) return duplicateClient();
  return undefined;
}
