import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Suspensions } from '../../alerts/suspensions.ts';
import { type DeliveryOutcome, standardTimeouts } from '../../mail/outcome.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { Hold } from '../../testing/hold.ts';
import { smtpSink } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';
import type { Candidate, Supply } from './candidate.ts';
import { Providers } from './providers.ts';
import { ProviderPauses, RateLimits } from './rate-limit.ts';
import { standardRetry } from './retry.ts';
import { type PoolRoute, RoutePool } from './route-pool.ts';
import { JobRelays } from './route-pools.ts';

let test: TestApp;
beforeAll(async () => {
  test = await testApp();
});
afterAll(() => test.close());

const holder = { owner: 'a', leaseS: 20 };

function poolOf(route: PoolRoute, { app = test.app, owner = holder.owner } = {}): RoutePool {
  const providers = new Providers(app.control, owner, () => undefined);
  const limits = new RateLimits(app.control);
  return new RoutePool(
    {
      app,
      holder: { ...holder, owner },
      limits,
      providers,
      pauses: new ProviderPauses(),
      suspensions: new Suspensions(app),
      retry: standardRetry,
    },
    route,
  );
}

const away = { host: '127.0.0.1', port: 1, tls: 'none', auth: undefined, clientName: 'test' } as const;
const server = { ...away, timeouts: standardTimeouts };
const route: PoolRoute = {
  key: 'route:1',
  position: 1,
  maxConnections: 4,
  messagesPerHour: 0,
  webhook: null,
  server,
};

it('counts no connection slot as its own that it has just released', async () => {
  const { app } = test;
  const pool = poolOf(route);
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
    // Work comes while they are being released: nothing is begun on them.
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

it('tries a relay that was unavailable with no connection as long as it has no slot', async () => {
  const pool = poolOf({ ...route, key: 'route:2' });
  const full: Supply = { commit: { idle: async () => undefined }, readyCount: 1, take: () => undefined };
  pool.add(full, () => true);
  await pool.renewSlots();
  await until(() => pool.standing === 'away' && pool.workers === 0, 'the relay was tried');
  pool.remove(full);
  await pool.renewSlots();
  expect(pool.slots).toBe(0);
  pool.add(full, () => true);
  // Tried at once, as a route that was mended.
  pool.change({ ...route, key: 'route:2', position: 2 });
  expect(pool.workers).toBe(0);
  pool.remove(full);
});

it('a process that stands by holds no slots that another one needs when its first relay is unavailable', async () => {
  const first = { ...route, key: 'route:6' };
  const next = { ...route, key: 'route:7', position: 2 };
  const processes = ['one', 'other'].map((owner) => {
    const pools = [poolOf(first, { owner }), poolOf(next, { owner })];
    const job: Supply = { commit: { idle: async () => undefined }, readyCount: 1, take: () => undefined };
    return { pools, job, relays: new JobRelays(true) };
  });
  const [one, other] = processes as [(typeof processes)[0], (typeof processes)[0]];
  // The first position's slots are the one's, those of the next position would be the other's.
  one.relays.use(one.job, one.pools);
  await one.pools[0]!.renewSlots();
  other.relays.use(other.job, other.pools);
  await other.relays.renewSlots();
  expect([one.pools[0]!.slots, other.pools[0]!.slots]).toEqual([4, 0]);
  await until(() => one.pools[0]!.standing === 'away', 'the first relay was tried');
  await one.relays.renewSlots();
  expect([one.pools[1]!.slots, other.pools[1]!.slots]).toEqual([4, 0]);
  for (const { pools, job, relays } of processes) {
    relays.use(job, []);
    for (const pool of pools) pool.close();
    await until(() => pools.every((pool) => pool.workers === 0), 'the connections end');
  }
});

/** A supply with one message; `ended` holds what became of it. */
class OneMessage implements Supply {
  readonly commit: Supply['commit'];
  readonly ended: { kind: DeliveryOutcome['kind']; ours: boolean }[] = [];
  isFresh = true;
  #left = 1;

  constructor(idle: () => Promise<void>) {
    this.commit = { idle };
  }

  get readyCount(): number {
    return this.#left;
  }

  take(): Candidate | undefined {
    if (this.#left === 0) return undefined;
    this.#left -= 1;
    const isFresh = () => this.isFresh;
    const pieces = [Buffer.from('Subject: x\r\n\r\nx\r\n')];
    return {
      supply: this,
      about: {},
      mail: { idSite: 1, idProvider: 0 },
      get isFresh() {
        return isFresh();
      },
      make: async () => ({ envelope: { from: 'a@a.example', to: 'b@b.example' }, pieces }),
      intend: async () => undefined,
      delivered: ({ kind }, ours) => void this.ended.push({ kind, ours }),
    };
  }
}

it('begins no message that has become stale while what its connection had before was written', async () => {
  const sink = await smtpSink();
  const pool = poolOf({
    ...route,
    key: 'route:3',
    maxConnections: 1,
    server: { ...server, port: sink.port },
  });
  let written = () => {};
  let asked = false;
  const before = new OneMessage(() => {
    asked = true;
    return new Promise((resolve) => {
      written = resolve;
    });
  });
  const after = new OneMessage(async () => undefined);
  for (const supply of [before, after]) pool.add(supply, () => true);
  await pool.renewSlots();
  await until(() => asked, 'its outcome is being written');
  after.isFresh = false;
  written();
  await until(() => after.ended.length > 0, 'the second message');
  expect([before.ended, after.ended]).toEqual([
    [{ kind: 'accepted', ours: false }],
    [{ kind: 'notAttempted', ours: true }],
  ]);
  expect(sink.messages).toHaveLength(1);
  for (const supply of [before, after]) pool.remove(supply);
  pool.close();
  await until(() => pool.workers === 0, 'the connection ends');
  await sink.close();
});

it('keeps its connection while the limit of its route cannot be requested', async () => {
  const { control } = test.app;
  const sink = await smtpSink();
  let failures = 0;
  const write = (line: string) => {
    if (line.includes('"route":"route:4"')) failures += 1;
  };
  const own = { maxConnections: 1, messagesPerHour: 36_000, server: { ...server, port: sink.port } };
  const log = pino({ level: 'warn' }, { write });
  const pool = poolOf({ ...route, key: 'route:4', ...own }, { app: { ...test.app, log } });
  await control.pool.query(`
    create function facteur.fail_limit() returns trigger language plpgsql as
      $$ begin raise 'a limit that a test lets fail'; end $$;
    create trigger fail_limit before insert or update on facteur.send_bucket
      for each row when (new.key = 'route:4') execute function facteur.fail_limit()`);
  const one = new OneMessage(async () => undefined);
  pool.add(one, () => true);
  await pool.renewSlots();
  await until(() => failures >= 3, 'it is asked for again and again');
  expect(one.ended).toEqual([]);
  await control.pool.query('drop function facteur.fail_limit cascade');
  await until(() => one.ended.length > 0, 'the message leaves');
  expect(one.ended).toEqual([{ kind: 'accepted', ours: false }]);
  expect(sink.commands.filter((line) => line.startsWith('EHLO'))).toHaveLength(1);
  pool.remove(one);
  pool.close();
  await until(() => pool.workers === 0, 'the connection ends');
  await sink.close();
});
