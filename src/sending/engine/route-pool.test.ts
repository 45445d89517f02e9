import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { Hold } from '../../testing/hold.ts';
import { standardTimeouts } from '../smtp/outcome.ts';
import type { Supply } from './candidate.ts';
import { LimitGates } from './limit-gates.ts';
import { Providers } from './providers.ts';
import { RateLimits } from './rate-limit.ts';
import { standardRetry } from './retry.ts';
import { RoutePool } from './route-pool.ts';

let test: TestApp;
beforeAll(async () => {
  test = await testApp();
});
afterAll(() => test.close());

it('counts no connection slot as its own that it has just given back', async () => {
  const { app } = test;
  const holder = { owner: 'a', leaseS: 20 };
  const providers = new Providers(app.control, holder.owner, () => undefined);
  const limits = new RateLimits(app.control);
  const parts = { app, holder, limits, providers, gates: new LimitGates(), retry: standardRetry };
  const server = { host: '127.0.0.1', port: 1, tls: 'none', auth: undefined, clientName: 'test' } as const;
  const route = { key: 'route:1', position: 1, maxConnections: 4, messagesPerHour: 0 };
  const pool = new RoutePool(parts, { ...route, server: { ...server, timeouts: standardTimeouts } });
  // One that has nothing to send: only its slots are looked at.
  const idle: Supply = {
    commit: { idle: async () => undefined },
    readyCount: 0,
    take: () => undefined,
  };
  const held = async () =>
    (await app.control.rows(sql`select from facteur.connection_slot where owner = ${holder.owner}`)).length;
  pool.add(idle, () => true);
  await pool.renewSlots();
  expect([pool.slots, await held()]).toEqual([4, 4]);
  for (let n = 0; n < 10; n += 1) {
    pool.remove(idle);
    const hold = await Hold.of(test.connection, 'lock table facteur.connection_slot in exclusive mode');
    const givenBack = pool.renewSlots();
    await hold.reached();
    // Work comes while they are being given back: nothing is begun on them.
    pool.add(idle, () => true);
    expect(pool.slots).toBe(0);
    const taken = pool.renewSlots();
    await hold.letGo();
    await Promise.all([givenBack, taken]);
    expect([pool.slots, await held()]).toEqual([4, 4]);
  }
  pool.remove(idle);
  await pool.renewSlots();
  expect([pool.slots, pool.isDone, await held()]).toEqual([0, true, 0]);
});
