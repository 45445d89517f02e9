import { withFieldSet } from '../fields/field-set.ts';
import { holdFields, readFieldSet } from '../fields/field-store.ts';
import { againAfterDeadlock, isDeadlock, isDuplicate } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { refusalOfFault } from '../platform/http/fault.ts';
import { Refusal, tooLarge } from '../platform/http/refusal.ts';
import { AnswerSize, inParts, readAtATime } from './answer-size.ts';
import { lockAndRead } from './asked-changes.ts';
import type { Writing } from './field-change.ts';
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

/** Maximum number of elements in a transaction. Updates also return earlier values. */
const maxRun = 1000;

/**
 * Maximum number of values in the reply to more than `maxPerCall` elements. Writing a million of them blocks the
 * process for 0.3 s (26 MB, all empty) to 1.2 s (65 MB, texts of 30 characters), and takes 120 MB.
 */
const maxValues = 1_000_000;

/**
 * Creates (without an id) or updates (with one) subscribers, in order, each as if in its own transaction; null for an
 * unknown id.
 * Adjacent elements that cannot affect each other share a transaction (a run), which is about a hundred times faster.
 * If one fails, the transaction is rolled back and the run is repeated in halves until the failing element is alone:
 * everything before it is then done, and nothing after it.
 * @throws Refusal of the first element that fails, naming its position; its `data` holds the results before it. The
 * same applies to failures without an invalid element (the database is unavailable or too slow, or a defect): the call
 * can be resumed at the named position. If the connection broke, the run that starts there may have been done. 413 when
 * the reply would have too many values; then nothing is done. The same 413 when the texts of updated subscribers become
 * too long; that is reported like any other refusal.
 */
export async function createAll(
  db: SiteDb,
  elements: readonly NewSubscriber[],
  writing: Writing,
): Promise<(Subscriber | null)[]> {
  await refuseLongAnswer(db, elements.length);
  const results: (Subscriber | null)[] = [];
  const size = new AnswerSize();
  const todo = runsOf(elements);
  for (let run = todo.shift(); run; run = todo.shift()) {
    try {
      results.push(...(await createRun(db, run, writing, size)));
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

/** Refuses a call of more than `maxPerCall` elements whose reply, all fields of each, would be too long. */
async function refuseLongAnswer(db: SiteDb, count: number): Promise<void> {
  if (count <= maxPerCall) return;
  const { length } = (await readFieldSet(db)).fields;
  const most = Math.max(maxPerCall, Math.floor(maxValues / length));
  if (count > most)
    throw tooLarge(
      `body: must have at most ${most} items: the response has all ${length} fields of each, ` +
        `and ${maxValues} values at most`,
    );
}

/**
 * Splits the call into runs: inserts only, or updates of different subscribers only. An update of a unique field is its
 * own run, because in one statement an address could pass between subscribers in the wrong order.
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
  writing: Writing,
  size: AnswerSize,
): Promise<(Subscriber | null)[]> {
  const create = () =>
    isUpdate(run[0]!) ? updateRun(db, run, writing, size) : insertRun(db, run, writing.at);
  // Concurrent calls may insert the same addresses in different orders, and PostgreSQL ends one of them: halves avoid
  // that.
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
  writing: Writing,
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
      const rows = await updateSubscribers(tx, fields, part, writing);
      tried.add(rows.values());
      for (const { id } of part) {
        const row = rows.get(id);
        results.push(row ? showSubscriber(row, held) : null);
      }
    }
    return results;
  });
  // Only now, so that a run that is repeated in halves is counted once.
  size.keep(tried);
  return updated;
}

/** The refusal for an error of a write that the caller caused. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (isDuplicate(error, 'subscriber_email')) return duplicateEmail();
  if (isDuplicate(error, 'subscriber_client')) return duplicateClient();
  return undefined;
}
