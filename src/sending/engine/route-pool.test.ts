import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Suspensions } from '../../alerts/suspensions.ts';
import { standardTimeouts } from '../../mail/outcome.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { Hold } from '../../testing/hold.ts';
import { smtpSink } from '../../testing/smtp-sink.ts';
import { until } from '../../testing/until.ts';
import { Delivery, type DeliveryOwner, type EngineParts, type Result, type Supply } from './delivery.ts';
import { outcomes, standardRetry } from './outcomes.ts';
import { HourlyPermits, Permit } from './permits.ts';
import { Providers } from './providers.ts';
import { JobRelays, type PoolRoute, RoutePool } from './route-pool.ts';

let test: TestApp;
beforeAll(async () => {
  test = await testApp();
});
afterAll(() => test.close());

const holder = { owner: 'a', leaseS: 20 };

function partsOf({ app = test.app, owner = holder.owner } = {}): EngineParts {
  return {
    app,
    holder: { ...holder, owner },
    hourly: new HourlyPermits(app.control),
    providers: new Providers(app.control, owner, () => undefined),
    suspensions: new Suspensions(app),
    retry: standardRetry,
  };
}

const poolOf = (route: PoolRoute, of?: Parameters<typeof partsOf>[0]) => new RoutePool(partsOf(of), route);

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

it('counts no permit as its own that it has just released', async () => {
  const { app } = test;
  const pool = poolOf(route);
  // A supply without messages: only the permits matter.
  const idle: Supply = {
    commit: { idle: async () => undefined },
    readyCount: 0,
    take: () => undefined,
  };
  const held = async () =>
    (await app.control.rows(sql`select from facteur.connection_permit where owner = ${holder.owner}`)).length;
  pool.add(idle, () => true);
  await pool.renewPermits();
  expect([pool.permits.usable, await held()]).toEqual([4, 4]);
  for (let n = 0; n < 10; n += 1) {
    pool.remove(idle);
    const hold = await Hold.of(test.connection, 'lock table facteur.connection_permit in exclusive mode');
    const givenBack = pool.renewPermits();
    await hold.reached();
    // Messages arrive while the permits are being released: none begins on them.
    pool.add(idle, () => true);
    expect(pool.permits.usable).toBe(0);
    const taken = pool.renewPermits();
    await hold.letGo();
    await Promise.all([givenBack, taken]);
    expect([pool.permits.usable, await held()]).toEqual([4, 4]);
  }
  pool.remove(idle);
  await pool.renewPermits();
  expect([pool.permits.usable, pool.isDone, await held()]).toEqual([0, true, 0]);
});

it('does not attempt a relay that was unreachable while it has no permit', async () => {
  const pool = poolOf({ ...route, key: 'route:2' });
  const full: Supply = { commit: { idle: async () => undefined }, readyCount: 1, take: () => undefined };
  pool.add(full, () => true);
  await pool.renewPermits();
  await until(() => pool.state === 'unreachable' && pool.permits.inUse === 0, 'the relay was attempted');
  pool.remove(full);
  await pool.renewPermits();
  expect(pool.permits.usable).toBe(0);
  pool.add(full, () => true);
  // Attempted immediately, like a route that was corrected.
  pool.change({ ...route, key: 'route:2', position: 2 });
  expect(pool.permits.inUse).toBe(0);
  pool.remove(full);
});

it('a process on standby holds no permits that another one needs whose first relay is unreachable', async () => {
  const first = { ...route, key: 'route:6' };
  const next = { ...route, key: 'route:7', position: 2 };
  const processes = ['one', 'other'].map((owner) => {
    const pools = [poolOf(first, { owner }), poolOf(next, { owner })];
    const job: Supply = { commit: { idle: async () => undefined }, readyCount: 1, take: () => undefined };
    return { pools, job, relays: new JobRelays(true) };
  });
  const [one, other] = processes as [(typeof processes)[0], (typeof processes)[0]];
  // The one holds the permits of the first position; the other would hold those of the next one.
  one.relays.use(one.job, one.pools);
  await one.pools[0]!.renewPermits();
  other.relays.use(other.job, other.pools);
  await other.relays.renewPermits();
  expect([one.pools[0]!.permits.usable, other.pools[0]!.permits.usable]).toEqual([4, 0]);
  await until(() => one.pools[0]!.state === 'unreachable', 'the first relay was attempted');
  await one.relays.renewPermits();
  expect([one.pools[1]!.permits.usable, other.pools[1]!.permits.usable]).toEqual([4, 0]);
  for (const { pools, job, relays } of processes) {
    relays.use(job, []);
    for (const pool of pools) pool.close();
    await until(() => pools.every((pool) => pool.permits.inUse === 0), 'the connections end');
  }
});

const accepted = { state: outcomes.accepted, code: 250 };

/** A supply with one message; `ended` holds its outcome. */
class OneMessage implements DeliveryOwner<null> {
  readonly commit: Supply['commit'];
  readonly ended: Result[] = [];
  isFresh = true;
  isReleased = false;
  #left = 1;

  constructor(idle: () => Promise<void>) {
    this.commit = { idle };
  }

  get readyCount(): number {
    return this.#left;
  }

  take(): Delivery<null> | undefined {
    if (this.#left === 0) return undefined;
    this.#left -= 1;
    const parts = partsOf();
    const of = {
      idSite: 1,
      provider: 0,
      domain: '',
      permit: new Permit(parts.hourly),
      readAt: performance.now(),
    };
    return new Delivery(parts, this, null, of);
  }

  about() {
    return {};
  }

  maySend(): boolean {
    return this.isFresh;
  }

  async make() {
    const pieces = [Buffer.from('Subject: x\r\n\r\nx\r\n')];
    return { envelope: { from: 'a@a.example', to: 'b@b.example' }, pieces };
  }

  async intend(): Promise<void> {}

  triedSince(): undefined {}

  countDrop(): boolean {
    return false;
  }

  heard(): void {}

  record(_: null, result: Result): void {
    this.ended.push(result);
  }

  putBack(): void {
    this.isReleased = true;
  }

  park(): void {}

  unpark(): boolean {
    return true;
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
  await pool.renewPermits();
  await until(() => asked, 'its outcome is being written');
  after.isFresh = false;
  written();
  await until(() => after.isReleased, 'the second message');
  expect([before.ended, after.ended]).toEqual([[accepted], []]);
  expect(sink.messages).toHaveLength(1);
  for (const supply of [before, after]) pool.remove(supply);
  pool.close();
  await until(() => pool.permits.inUse === 0, 'the connection ends');
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
  await pool.renewPermits();
  await until(() => failures >= 3, 'it is asked for again and again');
  expect(one.ended).toEqual([]);
  await control.pool.query('drop function facteur.fail_limit cascade');
  await until(() => one.ended.length > 0, 'the message leaves');
  expect(one.ended).toEqual([accepted]);
  expect(sink.commands.filter((line) => line.startsWith('EHLO'))).toHaveLength(1);
  pool.remove(one);
  pool.close();
  await until(() => pool.permits.inUse === 0, 'the connection ends');
  await sink.close();
});
