import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type TestApp, testApp } from '../testing/app.ts';
import { until } from '../testing/until.ts';
import { sql } from './db/sql.ts';
import { startTaskRunner } from './task-runner.ts';
import { TaskWorkers } from './task-workers.ts';
import { addTask, task } from './tasks.ts';

describe('the job runner', () => {
  let t: TestApp;
  beforeEach(async () => {
    t = await testApp({ operations: [] });
  });
  afterEach(() => t.close());

  it('runs a job that was added in a transaction, with its payload', async () => {
    const ran: unknown[] = [];
    const note = task({ name: 'note', run: async (_app, payload: { id: number }) => void ran.push(payload) });
    const runner = await startTaskRunner(t.app, [note]);
    await t.app.control.transaction((tx) => addTask(tx, note, { id: 7 }));
    await vi.waitFor(() => expect(ran).toEqual([{ id: 7 }]), 100_000);
    expect(await t.app.control.rows(sql`select * from facteur.job_worker`)).toHaveLength(1);
    await runner.stop();
    expect(await t.app.control.rows(sql`select * from facteur.job_worker`)).toEqual([]);
  });

  it('aborts what runs when it is stopped, and leaves it in the queue', async () => {
    let started = false;
    const wait = task({
      name: 'wait',
      run: (_app, _payload, signal) =>
        new Promise((_resolve, reject) => {
          started = true;
          signal.addEventListener('abort', () => reject(new Error('told to stop')));
        }),
    });
    const runner = await startTaskRunner(t.app, [wait]);
    await addTask(t.app.control, wait, {});
    await vi.waitFor(() => expect(started).toBe(true), 100_000);
    await runner.stop();
    const query = sql`select locked_by as "lockedBy" from graphile_worker._private_jobs`;
    expect(await t.app.control.rows(query)).toEqual([{ lockedBy: null }]);
  });

  it('looks for ended processes twice at once without waiting for itself', async () => {
    const workers = new TaskWorkers(t.app.control);
    expect(await Promise.all([workers.tend(), workers.tend(), workers.tend()])).toEqual([0, 0, 0]);
    await workers.close();
  });

  it('releases its connection at the end, even if its workers cannot be taken off the list', async () => {
    const { control } = t.app;
    const runner = await startTaskRunner(t.app, []);
    await control.pool.query(`
      create function facteur.refuse() returns trigger language plpgsql as $$ begin raise 'a full disk'; end $$;
      create trigger refuse before delete on facteur.job_worker execute function facteur.refuse()`);
    await expect(runner.stop()).rejects.toThrow('a full disk');
    // Nobody keeps a connection that would keep the pool from ending; what was running gives its own back.
    await until(() => control.pool.idleCount === control.pool.totalCount, 'all connections to be back');
  });

  it('gives the jobs of a dead process back at once, and keeps those of a living one', async () => {
    const { control } = t.app;
    const note = task({ name: 'note', run: async () => undefined });
    const living = new TaskWorkers(control);
    await living.tend();
    for (const worker of ['dead', 'alive', 'new', 'unknown']) {
      await addTask(control, note, { worker }, { queueName: worker });
    }
    await control.run(sql`
      update graphile_worker._private_jobs set locked_by = payload ->> 'worker',
        locked_at = now() - case when payload ->> 'worker' = 'unknown' then interval '2 min' else interval '1 s' end`);
    await living.register('alive');
    const dying = new TaskWorkers(control);
    await dying.register('dead');

    const ours = new TaskWorkers(control);
    expect(await ours.tend()).toBe(2);
    const held = await control.rows(
      sql`select locked_by as "by" from graphile_worker._private_jobs where locked_by is not null order by 1`,
    );
    expect(held).toEqual([{ by: 'alive' }, { by: 'new' }]);
    await ours.close();
    await living.close();
  });
});
