import { readingWhole } from '../fields/merge-state.ts';
import type { App } from '../platform/app.ts';
import type { Isolation } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { notFound } from '../platform/http/refusal.ts';
import { remembered } from '../platform/remembered.ts';
import { Semaphore } from '../platform/semaphore.ts';
import { evaluating, TimeLimit } from './evaluation.ts';
import { withLoadedFiles } from './file-loads.ts';
import { compileFilters, readSiteForUse } from './filter-site.ts';
import type { TargetFilter } from './filters/filter-kind.ts';
import { filterKindOf } from './filters/filter-kinds.ts';
import type { TargetDefinition } from './target.ts';
import {
  rowMembership,
  type TargetSource,
  type TargetSteps,
  targetCondition,
  targetQuery,
  targetSteps,
} from './target-query.ts';
import { fingerprintOfTargets, readWithExcluded } from './target-store.ts';
import { type Among, planByReader, selectByExpressions, type UserExpression } from './user-expression.ts';

export type { TargetSteps };

/** Time limit of a request that reads one target, and of a check of targets, in milliseconds. */
export const requestMs = 30_000;
/**
 * Evaluations for callers that run at once, of one site and of all, out of the 20 connections that sites share. Less
 * than half, so short requests always find a connection.
 */
const limits = { perOwner: 2, permits: 8, waiting: 30, patienceMs: 30_000 };
const semaphoreOf = remembered((_: App) => new Semaphore('evaluations of targets', limits));
/** How long a caller and a background task wait for an import to finish writing its rows, in milliseconds. */
const mergePatienceMs = { caller: 10_000, task: 1_000 } as const;
/** Attempts at a transaction that PostgreSQL could not serialize. */
const maxConflicts = 3;

/** The subscribers that a target selects. Valid only inside `Selection.evaluate`. */
export interface TargetMembers {
  /** `select fld0 …`, to be put in parentheses; each subscriber once, in no order. */
  readonly query: Sql;
  /** The members as a condition on a subscriber's row; undefined for a target that is cut to a maximum or a share. */
  readonly condition: Sql | undefined;
}

/** For whom, when and how long sets of targets are evaluated. */
export interface SelectionOptions {
  readonly app: App;
  readonly db: SiteDb;
  /** The instant that filters count their periods from. */
  readonly at: Date;
  /**
   * A caller only reads. They wait for one of the site's permits, for files to load for 10 seconds, and read the
   * subscribers as they were before an import that is writing its rows. A task may write, waits for files as long as
   * they take to load, and is refused while such an import runs.
   */
  readonly reader: 'caller' | 'task';
  /** Time limit of one evaluation in milliseconds. */
  readonly limitMs: number;
  /** Ends the selection early. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the transaction reads from one snapshot from its beginning, even without an SQL filter. */
  readonly keepsSnapshot?: boolean;
  /** SQL filters are evaluated for these subscribers only. */
  readonly among?: Among | undefined;
}

/**
 * A transaction in which targets can be evaluated. `select` makes it and is the only way from a target to its
 * subscribers: for counts, ids, segments, sendings and exports.
 */
export class Selection {
  readonly #options: SelectionOptions;
  readonly tx: SiteDb;

  private constructor(options: SelectionOptions, tx: SiteDb) {
    this.#options = options;
    this.tx = tx;
  }

  /**
   * Runs `work` in a transaction that evaluates targets. It never sees a part of an import's rows. `work` may run
   * several times: once more when the files of its filters are loaded, or when an SQL filter requires a snapshot. Only
   * its last run counts. Between runs it holds no connection, lock or permit.
   * @throws 409 when a file keeps changing; 429 when too many evaluations of the site wait; 503 `loading` when a file
   *   is still being loaded, 503 when an import has not written all its rows.
   */
  static async select<T>(options: SelectionOptions, work: (selection: Selection) => Promise<T>): Promise<T> {
    const { app, db, reader, signal } = options;
    const inTransaction = async (tx: SiteDb): Promise<T> => {
      if (reader === 'caller') await tx.run(sql`set transaction read only`);
      return work(new Selection(options, tx));
    };
    const run = (): Promise<T> => readWhole(options, inTransaction);
    if (reader === 'task') return withLoadedFiles(run, null);
    return withLoadedFiles(() => withPermit(app, db, run, signal));
  }

  /**
   * Compiles targets, and runs statements over their members within the time limit. A target with a random cut draws
   * again each time its query runs.
   * @throws 404 for an unknown target; 409 when the site has changed so that a filter has lost its meaning; 422 when a
   *   filter fails on a subscriber's values; 503 `too_slow` after the time limit.
   */
  async evaluate<T>(
    idTargets: readonly number[],
    work: (members: ReadonlyMap<number, TargetMembers>) => Promise<T>,
  ): Promise<T> {
    const limit = new TimeLimit(this.#options.limitMs, this.#options.signal);
    const source = await this.#sourceOf(await readTargets(this.tx, idTargets), limit);
    const members = new Map(
      idTargets.map((id) => [id, { query: targetQuery(source, id), condition: targetCondition(source, id) }]),
    );
    return evaluating(this.tx, limit, () => work(members));
  }

  /**
   * Whether a target selects one subscriber: null where only a cut decides, which each evaluation draws again. False
   * for an unknown subscriber.
   * @throws as `evaluate`
   */
  async selects(idTarget: number, idSubscriber: number): Promise<boolean | null> {
    const { tx } = this;
    const limit = new TimeLimit(this.#options.limitMs, this.#options.signal);
    const source = await this.#sourceOf(await readTargets(tx, [idTarget]), limit);
    const membership = rowMembership(source, idTarget);
    const query = sql`select ${membership} as selects from ${tx.t.subscriber} where fld0 = ${idSubscriber}::int`;
    const rows = await evaluating(tx, limit, () => tx.rows<{ selects: boolean | null }>(query));
    return rows[0] ? rows[0].selects : false;
  }

  /**
   * Compiles a target that is not saved, and runs statements over its steps within the time limit.
   * @param target has an id that no saved target has.
   * @throws 404 for an unknown excluded target, otherwise as `evaluate`.
   */
  async evaluateUnsaved<T>(target: TargetDefinition, work: (steps: TargetSteps) => Promise<T>): Promise<T> {
    const limit = new TimeLimit(this.#options.limitMs, this.#options.signal);
    const { targets, filters } = await readTargets(this.tx, target.parameters.excludedTargets);
    const all = {
      targets: new Map(targets).set(target.id, target),
      filters: [...filters, ...target.filters.filter((one) => one.isEnabled)],
    };
    const steps = targetSteps(await this.#sourceOf(all, limit), target.id);
    return evaluating(this.tx, limit, () => work(steps));
  }

  async #sourceOf({ targets, filters }: TargetsToCompile, limit: TimeLimit): Promise<TargetSource> {
    const { tx } = this;
    const { app, at, among } = this.#options;
    const snapshot = filters.some(isWritten) ? await snapshotOf(tx) : undefined;
    const site = await readSiteForUse(app, tx, at, filters);
    const conditions = await compileFilters(filters, site);
    const expressions = expressionsAmong(conditions);
    if (expressions.length > 0) {
      // None of our statements contains a user's expression: the ids that it selects replace it.
      const selected = await selectByExpressions(app, tx, snapshot, expressions, site, limit, among);
      for (const { filter, expression } of expressions)
        conditions.set(filter, selected.get(expression.text)!);
    }
    return { subscriber: tx.t.subscriber, targets, conditions };
  }
}

/** Reads from the set of one target for a caller, in a transaction that can change nothing; as `Selection.select`. */
export async function readTargetSet<T>(
  of: Pick<SelectionOptions, 'app' | 'db' | 'at' | 'signal'> & { readonly idTarget: number },
  read: (tx: SiteDb, set: Sql) => Promise<T>,
): Promise<T> {
  const options = { ...of, reader: 'caller', limitMs: requestMs } as const;
  return Selection.select(options, (selection) =>
    selection.evaluate([of.idTarget], (members) => read(selection.tx, members.get(of.idTarget)!.query)),
  );
}

/**
 * Checks that targets have a meaning on the site as it is now, without reading any subscriber: their filters are
 * compiled, and SQL filters are planned but not evaluated.
 * @param patienceMs how long to wait for files to load.
 * @throws as `Selection.evaluate`, except for errors that only the subscribers' values cause.
 */
export async function checkTargets(
  app: App,
  db: SiteDb,
  idTargets: readonly number[],
  at: Date,
  patienceMs?: number,
): Promise<void> {
  const check = async (tx: SiteDb): Promise<void> => {
    await tx.run(sql`set transaction read only`);
    const limit = new TimeLimit(requestMs);
    const { filters } = await readTargets(tx, idTargets);
    const site = await readSiteForUse(app, tx, at, filters);
    const expressions = expressionsAmong(await compileFilters(filters, site));
    if (expressions.length > 0) await planByReader(app, tx, expressions, site, limit);
  };
  await withFilterFiles(app, db, check, patienceMs);
}

/**
 * Runs `work` in a transaction that compiles filters without evaluating them, under one of the site's permits. It runs
 * again from its beginning when files of the filters are loaded.
 * @param patienceMs how long to wait for files to load; 10 seconds if omitted.
 * @throws 409, 429 and 503 `loading` as `Selection.select`.
 */
export async function withFilterFiles<T>(
  app: App,
  db: SiteDb,
  work: (tx: SiteDb) => Promise<T>,
  patienceMs?: number,
): Promise<T> {
  return withLoadedFiles(() => withPermit(app, db, () => db.transaction(work)), patienceMs);
}

/**
 * Runs an evaluation that a caller waits for under one of the site's permits. Counts may take seconds each, and cannot
 * take the connections that other sites need.
 */
async function withPermit<T>(app: App, db: SiteDb, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  return semaphoreOf(app).run(work, db.site.schema, signal);
}

/**
 * Runs `work` in a transaction that never sees a part of an import's rows. An SQL filter is evaluated on a second
 * connection: `work` then restarts with one snapshot, so that both connections see the same subscribers.
 */
async function readWhole<T>(
  { db, reader, signal, keepsSnapshot }: SelectionOptions,
  work: (tx: SiteDb) => Promise<T>,
): Promise<T> {
  // The subscribers as they were before an import answer a caller, unless a target has changed since.
  const isAnsweredBefore = async (before: SiteDb) =>
    (await fingerprintOfTargets(before)) === (await fingerprintOfTargets(db));
  const waiting = { patienceMs: mergePatienceMs[reader], signal };
  const options = reader === 'caller' ? { ...waiting, isAnsweredBefore } : waiting;
  let isolation: Isolation = keepsSnapshot ? 'repeatable read' : 'read committed';
  for (let conflicts = 0; ; ) {
    try {
      return await readingWhole(db, work, { ...options, isolation });
    } catch (error) {
      if (error instanceof SnapshotNeeded) isolation = 'repeatable read';
      // 40001: another caller has changed a row that is also changed here, since the snapshot was taken.
      else if ((error as { code?: string }).code !== '40001' || conflicts++ === maxConflicts) throw error;
    }
  }
}

/** Makes `readWhole` run `work` again with one snapshot. */
class SnapshotNeeded extends Error {
  override readonly message = 'An SQL filter is evaluated in a transaction that has no snapshot to share';
}

/** Exports the transaction's snapshot, for a second connection. Must be called before any savepoint. */
async function snapshotOf(tx: SiteDb): Promise<string> {
  const isKept = await tx.value<boolean>(
    sql`select current_setting('transaction_isolation') <> 'read committed' as "isKept"`,
  );
  if (!isKept) throw new SnapshotNeeded();
  return tx.value<string>(sql`select pg_export_snapshot() as snapshot`);
}

/** Targets with every target that they exclude. */
interface TargetsToCompile {
  readonly targets: ReadonlyMap<number, TargetDefinition>;
  /** The enabled filters of them all. */
  readonly filters: readonly TargetFilter[];
}

/**
 * Reads targets with every target that they exclude, and the enabled filters of them all.
 * @throws 404 for an unknown target, otherwise as `readWithExcluded`.
 */
async function readTargets(tx: SiteDb, idTargets: readonly number[]): Promise<TargetsToCompile> {
  const targets = await readWithExcluded(tx, idTargets);
  if (!idTargets.every((id) => targets.has(id))) throw notFound('Target');
  const filters = [...targets.values()].flatMap((target) => target.filters.filter((one) => one.isEnabled));
  return { targets, filters };
}

/** Whether a user writes the filter's expression, which is evaluated separately. */
const isWritten = ({ kind }: TargetFilter): boolean => filterKindOf(kind).isWrittenByUsers === true;

/** The conditions of filters that users write. */
function expressionsAmong(
  conditions: ReadonlyMap<TargetFilter, Sql>,
): (UserExpression & { readonly filter: TargetFilter })[] {
  const written = [...conditions].filter(([filter]) => isWritten(filter));
  return written.map(([filter, expression]) => ({ filter, idTarget: filter.idTarget, expression }));
}
