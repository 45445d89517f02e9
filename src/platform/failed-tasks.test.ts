import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../testing/app.ts';
import { until } from '../testing/until.ts';
import { sql } from './db/sql.ts';
import { countFailedTasks, giveUpFailedTasks } from './failed-tasks.ts';
import { startTaskRunner } from './task-runner.ts';
import { addTask, task } from './tasks.ts';

describe('jobs that fail at every attempt', () => {
  let t: TestApp;
  let givenUp: unknown[];
  const fails = async () => {
    throw new Error('broken');
  };
  const resigning = task({
    name: 'resigning',
    maxAttempts: 1,
    run: fails,
    gaveUp: async (_app, payload: { id: number }) => void givenUp.push(payload),
  });
  const silent = task({ name: 'silent', maxAttempts: 1, run: fails });

  beforeEach(async () => {
    givenUp = [];
    t = await testApp({ operations: [] });
  });
  afterEach(() => t.close());
  const left = () => t.app.control.rows(sql`select from graphile_worker._private_jobs`);

  it('are counted as a metric, logged, and given up by their task', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    const runner = await startTaskRunner({ ...t.app, log }, [resigning, silent]);
    await addTask(t.app.control, resigning, { id: 7 });
    await addTask(t.app.control, silent, {});
    await until(async () => (await left()).length === 1 && givenUp.length > 0, 'the job is given up');
    await until(async () => (await countFailedTasks(t.app.control)).length === 1, 'the other one is counted');
    await runner.stop();
    expect(givenUp).toEqual([{ id: 7 }]);
    expect(await countFailedTasks(t.app.control)).toEqual([{ task: 'silent', count: 1 }]);
    const said = lines.map((line) => JSON.parse(line) as { msg: string; task?: string });
    expect(
      said
        .filter(({ msg }) => msg === 'job failed at its last attempt')
        .map(({ task: name }) => name)
        .sort(),
    ).toEqual(['resigning', 'silent']);
    expect(said.filter(({ msg }) => msg === 'job given up').map(({ task: name }) => name)).toEqual([
      'resigning',
    ]);
  });

  it('are found too when their process was killed at the last attempt, and not while one runs', async () => {
    await addTask(t.app.control, resigning, { id: 8 });
    const jobs = sql`update graphile_worker._private_jobs set attempts = max_attempts`;
    await t.app.control.run(sql`${jobs}, locked_at = now(), locked_by = 'somebody'`);
    await giveUpFailedTasks(t.app, [resigning], t.app.log);
    expect(givenUp).toEqual([]);
    expect(await countFailedTasks(t.app.control)).toEqual([]);
    await t.app.control.run(sql`${jobs}, locked_at = null, locked_by = null`);
    expect(await countFailedTasks(t.app.control)).toEqual([{ task: 'resigning', count: 1 }]);
    await giveUpFailedTasks(t.app, [resigning], t.app.log);
    expect(givenUp).toEqual([{ id: 8 }]);
    expect(await left()).toEqual([]);
  });

  it('stay in the queue when they cannot be given up yet, and keep no other from it', async () => {
    const stubborn = task({ name: 'stubborn', maxAttempts: 1, run: fails, gaveUp: fails });
    // More than are looked at together.
    for (let i = 0; i < 101; i++) await addTask(t.app.control, stubborn, {});
    await addTask(t.app.control, resigning, { id: 9 });
    await t.app.control.run(sql`update graphile_worker._private_jobs set attempts = max_attempts`);
    await giveUpFailedTasks(t.app, [stubborn, resigning], t.app.log);
    expect(givenUp).toEqual([{ id: 9 }]);
    expect(await countFailedTasks(t.app.control)).toEqual([{ task: 'stubborn', count: 101 }]);
  });
});
