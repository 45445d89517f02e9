import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Row } from '../../platform/db/database.ts';
import { SiteDb } from '../../platform/db/site-db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeSending } from '../../testing/make-sending.ts';
import { until } from '../../testing/until.ts';
import { closeRange } from './finish.ts';
import { GroupCommit } from './group-commit.ts';
import { readLog, releaseRange, takeRanges } from './lease.ts';
import { foldLog, outcomes, standardRetry } from './outcomes.ts';
import { RangeRun } from './range-run.ts';

/** A database whose connection breaks before or after it did what a commit requested. */
class BreakingDb extends SiteDb {
  breaks: 'never' | 'before' | 'after' = 'never';

  override async prepared<R extends Row>(name: string, query: Sql): Promise<R[]> {
    if (this.breaks === 'before') throw new Error('broken before');
    const rows = await super.prepared<R>(name, query);
    if (this.breaks === 'after') throw new Error('broken after');
    return rows;
  }
}

let test: TestApp;
let db: BreakingDb;
beforeAll(async () => {
  test = await testApp();
  db = new BreakingDb(test.app.control, test.db.site);
});
afterAll(() => test.close());

const holder = { owner: 'me', leaseS: 60 };
const other = { owner: 'other', leaseS: 60 };
let idJob: number;
let idSent: number;
let states: string[];
let run: RangeRun;
let commit: GroupCommit;

beforeEach(async () => {
  db.breaks = 'never';
  ({ idJob, idSent } = await makeSending(test.db, { recipients: 5 }));
  states = [];
  commit = new GroupCommit(db, holder, () => test.clock.now(), {
    committed: (_, state) => states.push(state),
    fenced: () => states.push('fenced'),
    failed: () => states.push('failed'),
  });
  run = await lease(holder);
});

async function lease(by: typeof holder): Promise<RangeRun> {
  const [range] = await takeRanges(test.db, by, idJob, 1, { at: test.clock.now() });
  return new RangeRun(range!, await readLog(test.db, idJob, range!.number), standardRetry);
}

const logged = async () => foldLog(await readLog(test.db, idJob, run.number));
const accept = (id: number) => commit.record(run, { id, state: outcomes.accepted, code: 250, at: 0 });

describe('a shared commit', () => {
  it('makes intents durable before it allows the dot, and outcomes with the next', async () => {
    const first = run.takeUntried()!;
    const second = run.takeUntried()!;
    await Promise.all([commit.intend(run, first), commit.intend(run, second)]);
    expect((await logged()).unknown).toEqual(new Set([first, second]));
    accept(first);
    await commit.idle();
    expect((await logged()).unknown).toEqual(new Set([second]));
    expect(run.memory.finals.get(first)).toEqual({ state: 1, code: 250 });
    const rows = await readLog(test.db, idJob, run.number);
    expect(rows).toHaveLength(2);
  });

  it('never allows a second dot for one recipient', async () => {
    const id = run.takeUntried()!;
    await commit.intend(run, id);
    await expect(commit.intend(run, id)).rejects.toThrow('already');
    accept(id);
    await commit.idle();
    await expect(commit.intend(run, id)).rejects.toThrow('already');
  });

  it('is idle once what was given before is written, however much comes in the meantime', async () => {
    let commits = 0;
    const busy: GroupCommit = new GroupCommit(db, holder, () => test.clock.now(), {
      // Other connections: there is always something for the next commit.
      committed: (one) => {
        commits += 1;
        if (commits < 20) busy.touch(one);
      },
      fenced: () => undefined,
      failed: () => undefined,
    });
    const [first, second] = [run.takeUntried()!, run.takeUntried()!];
    busy.record(run, { id: first, state: outcomes.accepted, code: 250, at: 0 });
    await busy.idle();
    expect([commits, run.memory.finals.has(first)]).toEqual([1, true]);
    // Given while a commit is on its way, so that it goes with the one after it.
    busy.record(run, { id: second, state: outcomes.accepted, code: 250, at: 0 });
    await busy.idle();
    expect([commits < 20, run.memory.finals.has(second)]).toEqual([true, true]);
    await until(() => commits === 20, 'the last commit');
    await busy.idle();
  });

  it('refuses intents when the job is paused, and says so', async () => {
    await test.db.run(sql`update ${test.db.t.job} set state = 'Paused' where id = ${idJob}`);
    await expect(commit.intend(run, run.takeUntried()!)).rejects.toThrow('Paused');
    expect(states).toEqual(['Paused']);
  });

  it('does nothing for a range that another process took over', async () => {
    await test.db.run(sql`update ${test.db.t.recipient_range} set lease_until = now() - interval '1 s'`);
    const theirs = await lease(other);
    await expect(commit.intend(run, run.takeUntried()!)).rejects.toThrow('Another process');
    expect(run.status).toBe('gone');
    expect(states).toEqual(['fenced']);
    expect(await readLog(test.db, idJob, run.number)).toEqual([]);
    expect(theirs.epoch).toBe(run.epoch + 1);
    await releaseRange(test.db, run, { notBefore: null, limitedBy: null });
    const finals = new Map(run.subscribers.map((id) => [id, { state: outcomes.accepted, code: 250 }]));
    expect(await closeRange(test.db, { ...run, epoch: run.epoch, finals }, () => 0, test.clock.now())).toBe(
      false,
    );
  });
});

describe.each(['before', 'after'] as const)('a connection that breaks %s the commit', (when) => {
  it('leaves a doubt that the database clears: nothing is lost or recorded twice', async () => {
    const accepted = run.takeUntried()!;
    const late = run.takeUntried()!;
    const torn = run.takeUntried()!;
    await Promise.all([commit.intend(run, accepted), commit.intend(run, late)]);
    db.breaks = when;
    accept(accepted);
    await expect(commit.intend(run, torn)).rejects.toThrow('could not be written');
    expect(run.status).toBe('in-doubt');
    expect(commit.isInDoubt).toBe(true);
    // The connections continue to report while the database is unavailable.
    accept(late);
    commit.record(run, { id: torn, state: outcomes.withdrawn, code: 0, at: 0 });
    db.breaks = 'never';
    expect(await commit.resolve(run)).toBe(true);
    await commit.idle();
    const { finals, unknown } = await logged();
    expect([...finals.keys()].sort()).toEqual([accepted, late].sort());
    expect(unknown.size).toBe(0);
    expect(commit.isInDoubt).toBe(false);
    const rows = await readLog(test.db, idJob, run.number);
    expect(rows.flatMap((row) => row.outcomes).filter((id) => id === accepted)).toHaveLength(1);
    // The recipient whose connection dropped is retried, and the range can be finished.
    await commit.intend(run, torn);
    for (const id of run.subscribers) if (!run.memory.finals.has(id)) accept(id);
    await commit.idle();
    expect(run.isDone).toBe(true);
    const range = { ...run, epoch: run.epoch, finals: run.memory.finals };
    expect(await closeRange(test.db, range, () => 0, test.clock.now())).toBe(true);
    const row = await test.db.one<{ n: number }>(
      sql`select count(*) as n from ${test.db.t.receipt} where id_sent = ${idSent}`,
    );
    expect(row.n).toBe(5);
  });

  it('gives the range up when another process took it in the meantime', async () => {
    const id = run.takeUntried()!;
    db.breaks = when;
    await expect(commit.intend(run, id)).rejects.toThrow();
    db.breaks = 'never';
    await test.db.run(sql`update ${test.db.t.recipient_range} set lease_until = now() - interval '1 s'`);
    const theirs = await lease(other);
    // With the intent in the log, only the new holder can say: uncertain.
    expect(theirs.unknown).toEqual(when === 'after' ? [id] : []);
    expect(await commit.resolve(run)).toBe(false);
    expect(run.status).toBe('gone');
  });
});
