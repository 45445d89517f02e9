import pino from 'pino';
import { expect, it } from 'vitest';
import { testApp } from '../testing/app.ts';
import { tcpProxy } from '../testing/tcp-proxy.ts';
import { until } from '../testing/until.ts';
import { openDatabase } from './db/database.ts';
import { sql } from './db/sql.ts';
import { startTaskRunner } from './task-runner.ts';
import { TaskWorkers } from './task-workers.ts';
import { addTask, task } from './tasks.ts';

it('a job that ends while the database is unavailable runs again when it is back', async () => {
  const t = await testApp({ operations: [] });
  const proxy = await tcpProxy(t.connection);
  const control = openDatabase({ ...proxy.connection, max: 10 }, () => undefined);
  const said: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void said.push(line) });
  let runs = 0;
  let isAway = false;
  const work = task({
    name: 'work',
    async run() {
      runs += 1;
      if (runs > 1) return;
      await until(() => isAway, 'the database is unavailable');
      throw new Error('The connection is lost');
    },
  });
  const runner = await startTaskRunner({ ...t.app, log, control }, [work]);
  try {
    await addTask(t.app.control, work, {});
    await until(() => runs === 1, 'the job runs');
    proxy.cut();
    isAway = true;
    await until(
      () => said.some((line) => line.includes('job runner did not start')),
      'the runner has given up',
    );
    proxy.restore();
    await until(() => runs === 2, 'the job runs again');
  } finally {
    proxy.restore();
    await runner.stop();
    await control.pool.end();
    await proxy.close();
    await t.close();
  }
});

it('a process that another one took for dead is on the list again', async () => {
  const t = await testApp({ operations: [] });
  const [ours, other] = [new TaskWorkers(t.app.control), new TaskWorkers(t.app.control)];
  const names = () => t.app.control.rows(sql`select id_worker as name from facteur.job_worker`);
  // Between a restart of PostgreSQL and our next poll our lock is not held.
  await ours.register('ours');
  expect(await other.tend()).toBe(1);
  expect(await names()).toEqual([]);
  await ours.tend();
  expect(await other.tend()).toBe(0);
  expect(await names()).toEqual([{ name: 'ours' }]);
  await ours.close();
  await other.close();
  await t.close();
});

it('a worker whose name could not be written gives its jobs back all the same', async () => {
  const t = await testApp({ operations: [] });
  const proxy = await tcpProxy(t.connection);
  const control = openDatabase({ ...proxy.connection, max: 2 }, () => undefined);
  const workers = new TaskWorkers(control);
  const work = task({ name: 'work', run: async () => undefined });
  await addTask(t.app.control, work, {});
  await t.app.control.run(
    sql`update graphile_worker._private_jobs set locked_by = 'cut off', locked_at = now()`,
  );
  proxy.cut();
  await expect(workers.register('cut off')).rejects.toThrow();
  await expect(workers.release()).rejects.toThrow();
  proxy.restore();
  await workers.release();
  expect(await t.app.control.rows(sql`select locked_by as "by" from graphile_worker._private_jobs`)).toEqual([
    { by: null },
  ]);
  await workers.close();
  await control.pool.end();
  await proxy.close();
  await t.close();
});
