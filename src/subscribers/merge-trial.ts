import { isDuplicate } from '../platform/db/database.ts';
import { whyRowRefused } from '../platform/db/row-refusal.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import {
  indexMatches,
  indexStage,
  insertUnmatched,
  keyOf,
  type Merge,
  type MergeOptions,
  match,
  matchStage,
  updateMatched,
  within,
} from './subscriber-merge.ts';

/** Rows that the subscriber table does not take, as it turned out when they were written. */
export class Misfits {
  readonly #rows: number[] = [];
  /** Places in `#whys`: there are few different reasons. */
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

  /** A page of them, for SQL. */
  page(from: number, count: number): { rows: number[]; whys: string[] } {
    return {
      rows: this.#rows.slice(from, from + count),
      whys: this.#reasons.slice(from, from + count).map((place) => this.#whys[place]!),
    };
  }
}

/** Rows that are written at once as long as all of them are taken. */
const partRows = 1_024;

export interface TrialOptions extends MergeOptions {
  /** Nobody else writes subscribers meanwhile, so that a duplicate is the file's own fault. */
  readonly isAlone: boolean;
}

/**
 * Matches the staged rows and tries to write them all; see `tryMatched`.
 * @throws as `tryMatched`
 */
export async function findMisfits(tx: SiteDb, merge: Merge, options: TrialOptions): Promise<Misfits> {
  await matchStage(tx, merge, options);
  await indexMatches(tx);
  await indexStage(tx, merge.stage);
  return tryMatched(tx, merge, options, sql`true`);
}

/**
 * Writes matched rows as a merge does, part by part, and finds those that the table does not take by halving the
 * parts in which one is: what is taken stays written, so that rows are found as well that do not agree with each
 * other. To be called in a transaction of its own, which the caller rolls back. A part of p rows with a misfit costs
 * at most 2p statements and writes each row log2(p) + 1 = 11 times at most, so that time grows with the rows. Memory:
 * two numbers a misfit.
 * @param which a condition on the matched rows' number `n`
 * @throws PostgreSQL's error when it is of no row, or another caller has written the same.
 */
export async function tryMatched(
  tx: SiteDb,
  merge: Merge,
  options: TrialOptions,
  which: Sql,
): Promise<Misfits> {
  const misfits = new Misfits();
  // What is checked at the commit only would never be seen here.
  await tx.run(sql`set constraints all immediate`);
  const steps = [
    { of: sql`fld0 is not null`, write: updateMatched },
    ...(options.insertEnabled ? [{ of: sql`fld0 is null`, write: insertUnmatched }] : []),
  ];
  for (const { of, write } of steps) {
    const trial = new Trial(tx, misfits, options.isAlone, (from, to) => write(tx, merge, within(from, to)));
    await trial.parts(sql`${of} and ${which}`);
  }
  return misfits;
}

class Trial {
  readonly #tx: SiteDb;
  readonly #misfits: Misfits;
  readonly #isAlone: boolean;
  readonly #write: (from: number, to: number) => Promise<unknown>;

  constructor(
    tx: SiteDb,
    misfits: Misfits,
    isAlone: boolean,
    write: (from: number, to: number) => Promise<unknown>,
  ) {
    this.#tx = tx;
    this.#misfits = misfits;
    this.#isAlone = isAlone;
    this.#write = write;
  }

  /** Order: of the rows in the file, updates before inserts, as in a merge. */
  async parts(of: Sql): Promise<void> {
    const parts = await this.#tx.rows<{ from: number; to: number }>(sql`
      select min(n) as "from", max(n) as "to"
      from (select n, (row_number() over (order by n) - 1) / ${partRows} as part from ${match} where ${of}) p
      group by part order by part`);
    for (const { from, to } of parts) {
      const why = await this.#tried(from, to);
      if (why === undefined) continue;
      const rows = await this.#tx.rows<{ n: number }>(sql`
        select n from ${match} where ${of} and n between ${from} and ${to} order by n`);
      await this.#halve(
        rows.map(({ n }) => n),
        why,
      );
    }
  }

  /** Of rows that are not taken together. */
  async #halve(rows: readonly number[], why: string): Promise<void> {
    if (rows.length === 1) {
      this.#misfits.add(rows[0]!, why);
      return;
    }
    const middle = rows.length >> 1;
    for (const half of [rows.slice(0, middle), rows.slice(middle)]) {
      const whyHalf = await this.#tried(half[0]!, half.at(-1)!);
      if (whyHalf !== undefined) await this.#halve(half, whyHalf);
    }
  }

  /** Writes the rows of a stretch; why they are not taken, and then none of them is written. */
  async #tried(from: number, to: number): Promise<string | undefined> {
    await this.#tx.run(sql`savepoint tried`);
    try {
      await this.#write(from, to);
    } catch (error) {
      const why = whyRowRefused(error);
      if (why === undefined || (isDuplicate(error) && !this.#isAlone)) throw error;
      await this.#tx.run(sql`rollback to savepoint tried`);
      await this.#tx.run(sql`release savepoint tried`);
      return why;
    }
    await this.#tx.run(sql`release savepoint tried`);
    return undefined;
  }
}

const pageRows = 10_000;

/** Keeps rows that were not taken, and takes them out of those that were matched. */
export async function keepMisfits(tx: SiteDb, misfits: Misfits): Promise<void> {
  for (let at = 0; at < misfits.size; at += pageRows) {
    const { rows, whys } = misfits.page(at, pageRows);
    await tx.run(sql`
      insert into ${tx.t.merge_refusal} (n, reason) select * from unnest(${rows}::int[], ${whys}::text[])`);
    await tx.run(sql`delete from ${match} where n = any(${rows}::int[])`);
  }
}

export async function forgetMisfits(tx: SiteDb): Promise<void> {
  await tx.run(sql`delete from ${tx.t.merge_refusal}`);
}

/** Marks the rows of `keepMisfits` in the staging table, and with each of them all rows of its key. */
export async function markKeptMisfits(tx: SiteDb, merge: Merge): Promise<void> {
  const kept = sql`${tx.t.merge_refusal}`;
  const marked = await tx.run(sql`
    update ${merge.stage} i set refused = k.reason from ${kept} k where i.n = k.n and i.refused is null`);
  if (marked > 0) await markKeys(tx, merge, sql`b.n in (select n from ${kept})`);
}

/**
 * Marks rows of the staging table, so that merges refuse them from now on with these reasons.
 * @param isWhole with each of them all rows of its key, which are refused as well
 */
export async function markMisfits(
  db: SiteDb,
  merge: Merge,
  misfits: Misfits,
  isWhole: boolean,
): Promise<void> {
  for (let at = 0; at < misfits.size; at += pageRows) {
    const { rows, whys } = misfits.page(at, pageRows);
    await db.run(sql`
      update ${merge.stage} i set refused = m.why
      from unnest(${rows}::int[], ${whys}::text[]) m (n, why) where i.n = m.n`);
    if (isWhole) await markKeys(db, merge, sql`b.n = any(${rows}::int[])`);
  }
}

/** @param which a condition on the rows `b` whose keys are meant */
async function markKeys(db: SiteDb, { stage, key }: Merge, which: Sql): Promise<void> {
  await db.run(sql`
    update ${stage} i set refused = 'PostgreSQL does not take row ' || bad.n || ', which has the same key'
    from (
      select ${keyOf(key, sql`b`)} as key, max(b.n) as n from ${stage} b where ${which} group by 1) bad
    where i.refused is null and ${keyOf(key, sql`i`)} = bad.key`);
}
