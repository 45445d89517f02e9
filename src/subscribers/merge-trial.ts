import { isDuplicate } from '../platform/db/database.ts';
import { whyRowRefused } from '../platform/db/row-refusal.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { tryToInsert, tryToUpdate } from './merge-writing.ts';
import {
  indexMatches,
  indexStage,
  keyOf,
  type Merge,
  type MergeOptions,
  match,
  matchStage,
  within,
} from './subscriber-merge.ts';

const pageRows = 10_000;

/** Rows that the subscriber table refused when they were written. */
export class Misfits {
  readonly #rows: number[] = [];
  /** Positions in `#whys`: there are few different reasons. */
  readonly #reasons: number[] = [];
  readonly #whys: string[] = [];

  get size(): number {
    return this.#rows.length;
  }

  add(row: number, why: string): void {
    if (!this.#whys.includes(why)) this.#whys.push(why);
    this.#rows.push(row);
    this.#reasons.push(this.#whys.indexOf(why));
  }

  /** The rows in pages, for SQL. */
  *pages(): Generator<{ rows: number[]; whys: string[] }> {
    for (let at = 0; at < this.size; at += pageRows)
      yield {
        rows: this.#rows.slice(at, at + pageRows),
        whys: this.#reasons.slice(at, at + pageRows).map((place) => this.#whys[place]!),
      };
  }
}

/** Rows that are written in one statement if all of them are accepted. */
const partRows = 1_024;

export interface TrialOptions extends MergeOptions {
  /** Whether no other transaction writes subscribers, so that a duplicate is the file's own fault. */
  readonly isAlone: boolean;
}

/** Matches the staged rows and tries to write all of them. @throws as `tryMatched` */
export async function findMisfits(tx: SiteDb, merge: Merge, options: TrialOptions): Promise<Misfits> {
  await matchStage(tx, merge, options);
  await indexMatches(tx);
  await indexStage(tx, merge.stage);
  return tryMatched(tx, merge, options, sql`true`);
}

/**
 * Writes matched rows as a merge does, part by part, and finds the rows that the table refuses by halving the parts
 * that contain one. Accepted rows stay written, so that rows that conflict with each other are found too. Must run in
 * its own transaction, which the caller rolls back. A part of p rows with a misfit costs at most 2p statements and
 * writes each row at most log2(p) + 1 = 11 times, so the time is linear in the rows. Memory: two numbers per misfit.
 * @param which a condition on the matched rows' number `n`
 * @throws PostgreSQL's error if it concerns no row, or if another transaction has written the same.
 */
export async function tryMatched(
  tx: SiteDb,
  merge: Merge,
  options: TrialOptions,
  which: Sql,
): Promise<Misfits> {
  const misfits = new Misfits();
  // Deferred constraints would only be checked at the commit, which never comes here.
  await tx.run(sql`set constraints all immediate`);
  const steps = [
    { of: sql`fld0 is not null`, write: tryToUpdate },
    ...(options.insertEnabled ? [{ of: sql`fld0 is null`, write: tryToInsert }] : []),
  ];
  for (const { of, write } of steps) {
    const attempt: Attempt = (from, to) =>
      tried(tx, options.isAlone, () => write(tx, merge, within(from, to)));
    await tryParts(tx, sql`${of} and ${which}`, attempt, misfits);
  }
  return misfits;
}

/** Writes a span of rows and returns undefined, or writes none and returns the reason. */
type Attempt = (from: number, to: number) => Promise<string | undefined>;

/** Order: that of the rows in the file, updates before inserts, as in a merge. */
async function tryParts(tx: SiteDb, of: Sql, attempt: Attempt, misfits: Misfits): Promise<void> {
  const parts = await tx.rows<{ from: number; to: number }>(sql`
    select min(n) as "from", max(n) as "to"
    from (select n, (row_number() over (order by n) - 1) / ${partRows} as part from ${match} where ${of}) p
    group by part order by part`);
  for (const { from, to } of parts) {
    const why = await attempt(from, to);
    if (why === undefined) continue;
    const rows = await tx.values<number>(sql`
      select n from ${match} where ${of} and n between ${from} and ${to} order by n`);
    await halve(rows, why, attempt, misfits);
  }
}

/** Finds the misfits among rows that are not accepted together. */
async function halve(
  rows: readonly number[],
  why: string,
  attempt: Attempt,
  misfits: Misfits,
): Promise<void> {
  if (rows.length === 1) return misfits.add(rows[0]!, why);
  const middle = rows.length >> 1;
  for (const half of [rows.slice(0, middle), rows.slice(middle)]) {
    const whyHalf = await attempt(half[0]!, half.at(-1)!);
    if (whyHalf !== undefined) await halve(half, whyHalf, attempt, misfits);
  }
}

async function tried(
  tx: SiteDb,
  isAlone: boolean,
  write: () => Promise<unknown>,
): Promise<string | undefined> {
  await tx.run(sql`savepoint tried`);
  try {
    await write();
  } catch (error) {
    const why = whyRowRefused(error);
    if (why === undefined || (isDuplicate(error) && !isAlone)) throw error;
    await tx.run(sql`rollback to savepoint tried`);
    await tx.run(sql`release savepoint tried`);
    return why;
  }
  await tx.run(sql`release savepoint tried`);
  return undefined;
}

/** Stores refused rows, and removes them from the matched ones. */
export async function keepMisfits(tx: SiteDb, misfits: Misfits): Promise<void> {
  for (const { rows, whys } of misfits.pages()) {
    await tx.run(sql`
      insert into ${tx.t.merge_refusal} (n, reason) select * from unnest(${rows}::int[], ${whys}::text[])`);
    await tx.run(sql`delete from ${match} where n = any(${rows}::int[])`);
  }
}

export async function forgetMisfits(tx: SiteDb): Promise<void> {
  await tx.run(sql`delete from ${tx.t.merge_refusal}`);
}

/** Marks the rows of `keepMisfits` in the staging table, and all rows with the same keys. */
export async function markKeptMisfits(tx: SiteDb, merge: Merge): Promise<void> {
  const kept = sql`${tx.t.merge_refusal}`;
  const marked = await tx.run(sql`
    update ${merge.stage} i set refused = k.reason from ${kept} k where i.n = k.n and i.refused is null`);
  if (marked > 0) await markKeys(tx, merge, sql`b.n in (select n from ${kept})`);
}

/** Marks staged rows to be refused with these reasons. @param isWhole also all rows with the same keys */
export async function markMisfits(
  db: SiteDb,
  merge: Merge,
  misfits: Misfits,
  isWhole: boolean,
): Promise<void> {
  for (const { rows, whys } of misfits.pages()) {
    await db.run(sql`
      update ${merge.stage} i set refused = m.why
      from unnest(${rows}::int[], ${whys}::text[]) m (n, why) where i.n = m.n`);
    if (isWhole) await markKeys(db, merge, sql`b.n = any(${rows}::int[])`);
  }
}

/** @param which a condition on the rows `b` with the keys */
async function markKeys(db: SiteDb, { stage, key }: Merge, which: Sql): Promise<void> {
  await db.run(sql`
    update ${stage} i set refused = 'PostgreSQL does not take row ' || bad.n || ', which has the same key'
    from (
      select ${keyOf(key, sql`b`)} as key, max(b.n) as n from ${stage} b where ${which} group by 1) bad
    where i.refused is null and ${keyOf(key, sql`i`)} = bad.key`);
}
