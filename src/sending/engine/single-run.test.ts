import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Suspensions } from '../../alerts/suspensions.ts';
import { addEpoch } from '../../installation/installation-store.ts';
import type { App } from '../../platform/app.ts';
import { openDatabase } from '../../platform/db/database.ts';
import { SiteDb } from '../../platform/db/site-db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { untilSinglesOver } from '../../testing/forwarding.ts';
import { Hold } from '../../testing/hold.ts';
import { appOver } from '../../testing/make-app.ts';
import { makeSending, sendingFinished } from '../../testing/make-sending.ts';
import { SendingTester } from '../../testing/sending-tester.ts';
import type { SmtpSink } from '../../testing/smtp-sink.ts';
import { type TcpProxy, tcpProxy } from '../../testing/tcp-proxy.ts';
import { until } from '../../testing/until.ts';
import type { WorkerProcess } from '../../testing/worker-process.ts';
import { friendHash } from '../forward.ts';
import { blockForwards, requestForwards } from '../forward-store.ts';
import { singleStates } from '../single-message.ts';
import { type EngineParts, staleAfterMs } from './delivery.ts';
import { standardRetry } from './outcomes.ts';
import { HourlyPermits } from './permits.ts';
import { Providers } from './providers.ts';
import { SingleRun } from './single-run.ts';

let test: TestApp;
let sending: SendingTester;
let idSent: number;
beforeEach(async () => {
  test = await testApp({ operations: [] });
  sending = new SendingTester(test);
  sending.atEnd(() => test.close());
  ({ idSent } = await makeSending(test.db, { recipients: 1 }));
  // Its own messages are not what is looked at here.
  await test.app.control.run(sql`delete from facteur.sending_job`);
});
afterEach(() => sending.end());

async function startWorker(connection = test.connection): Promise<WorkerProcess> {
  // Leases that do not run out: what a killed worker held is free because it has ended.
  const worker = sending.worker({ leaseS: 600, connection });
  await worker.ready();
  return worker;
}

/** Requests one forward of each of `count` readers. Returns the addresses. Worker processes have the real time. */
async function forward(count: number, at = test.clock.now()): Promise<string[]> {
  const friends = Array.from({ length: count }, (_, index) => `friend${index + 1}@friends.example`);
  for (const [index, email] of friends.entries()) {
    const hash = friendHash(test.app.secrets, test.db.site.id, email);
    const asked = {
      idSent,
      idSubscriber: index + 1,
      friends: [{ email, hash }],
      name: '',
      at,
    };
    expect(await requestForwards(test.db, { ...asked, language: 'en' })).toBe('asked');
  }
  return friends;
}

async function states(): Promise<string[]> {
  const rows = await test.db.rows<{ state: number; friend: string | null }>(sql`
    select m.state, f.friend from ${test.db.t.single_message} m join ${test.db.t.forward} f on f.id_message = m.id
    order by m.id`);
  const names = new Map(Object.entries(singleStates).map(([name, state]) => [state as number, name]));
  // The address of a message that has ended is not kept.
  return rows.map(({ state, friend }) => names.get(state)! + (friend === null ? '' : ', kept'));
}

/** Sets a limit of the provider of all forward recipients. */
async function limitProvider(limit: Sql): Promise<void> {
  const { control } = test.app;
  await control.run(sql`update facteur.provider set ${limit} where id = 1`);
  await control.run(sql`insert into facteur.provider_domain values ('friends.example', 1)`);
}

const over = () => untilSinglesOver(test.db);
const addresses = (sink: SmtpSink) => sink.messages.map(({ to }) => to).sort();

describe('single messages', () => {
  it('are handed over once each by two engines, and the hint that there are some goes', async () => {
    const sink = await sending.relay();
    const friends = await forward(30);
    sending.engine();
    sending.engine();
    await over();
    expect(addresses(sink)).toEqual([...friends].sort());
    expect(await states()).toEqual(friends.map(() => 'accepted'));
    const hints = () => test.app.control.rows(sql`select * from facteur.single_message_site`);
    await until(async () => (await hints()).length === 0, 'the hint goes');
  });

  it('share the connections of a route with the jobs', async () => {
    const sink = await sending.relay({ delayMs: 1, maxConnections: 1 });
    const made = await makeSending(test.db, { recipients: 150 });
    await forward(10);
    sending.engine();
    await over();
    await until(() => sink.messages.length === 160, 'all messages of the job, too');
    expect(sink.peak()).toBe(1);
    expect(addresses(sink).filter((to) => to.endsWith(`-${made.idJob}@example.org`))).toHaveLength(150);
  });

  it('share the connections of a provider with the jobs', async () => {
    await limitProvider(sql`max_connections = 1`);
    const sink = await sending.relay({ delayMs: 5 });
    const made = await makeSending(test.db, { recipients: 40, domain: 'friends.example' });
    const friends = await forward(30);
    sending.engine();
    await over();
    expect((await sendingFinished(test.db, made)).receipts).toEqual({ 1: 40 });
    expect(new Set(addresses(sink)).size).toBe(70);
    expect(sink.messages).toHaveLength(70);
    expect(addresses(sink)).toEqual(expect.arrayContaining(friends));
    expect(sink.peakMessages()).toBe(1);
  });

  it('that are deferred are retried, for as long as the time for trying lasts', async () => {
    const sink = await sending.relay({ misdeed: (_, attempt) => (attempt < 3 ? 'defer' : undefined) });
    await forward(2);
    sending.engine({ retry: { delays: [0], giveUpAfter: 86_400_000 } });
    await over();
    expect(await states()).toEqual(['accepted', 'accepted']);
    expect(sink.messages).toHaveLength(2);
  });

  it('that are deferred for 24 hours expire', async () => {
    await sending.relay({ misdeed: () => 'defer' });
    await forward(1);
    sending.engine({ retry: { delays: [0], giveUpAfter: 0 } });
    await over();
    expect(await states()).toEqual(['expired']);
  });

  it('that a relay refuses end, and those that it has no time for wait', async () => {
    const sink = await sending.relay({
      misdeed: (to, attempt) =>
        to.startsWith('friend1@') ? 'refuse' : attempt === 1 ? { rcpt: '421 4.3.2 busy' } : undefined,
    });
    await forward(2);
    sending.engine({ retry: { delays: [0], giveUpAfter: 86_400_000 } });
    await over();
    expect(await states()).toEqual(['refused', 'accepted']);
    expect(addresses(sink)).toEqual(['friend2@friends.example']);
  });

  it('whose answer is lost are uncertain, and not sent again', async () => {
    const sink = await sending.relay({ misdeed: () => 'takeAndTear' });
    await forward(1);
    sending.engine();
    await over();
    expect(await states()).toEqual(['uncertain']);
    expect(sink.messages).toHaveLength(1);
  });

  it('to an address that was barred in the meantime are not sent', async () => {
    const sink = await sending.relay();
    await forward(2);
    const { id } = await test.db.one<{ id: number }>(
      sql`select min(id_message) as id from ${test.db.t.forward}`,
    );
    await blockForwards(test.db, id, test.clock.now());
    sending.engine();
    await over();
    expect(await states()).toEqual(['cancelled', 'accepted']);
    expect(sink.messages).toHaveLength(1);
  });

  it('share the connections of a provider that takes only one', async () => {
    const sink = await sending.relay();
    await limitProvider(sql`max_connections = 1`);
    const friends = await forward(5);
    sending.engine();
    await over();
    expect(addresses(sink)).toEqual([...friends].sort());
  });

  it('wait while nothing may be sent', async () => {
    const sink = await sending.relay();
    await forward(1);
    let asked = 0;
    const engine = sending.engine({ mayGoOn: async () => ++asked < 0 });
    await until(() => asked > 2, 'it is asked');
    await engine.stop();
    expect(await states()).toEqual(['pending, kept']);
    expect(sink.messages).toEqual([]);
  });

  it('that were requested before a restored database was adopted are uncertain: they may have been sent', async () => {
    const sink = await sending.relay();
    await forward(1);
    await addEpoch(test.app.control, randomUUID(), { server: 's', dataDir: null }, test.clock.now());
    sending.engine();
    await over();
    expect(await states()).toEqual(['uncertain']);
    expect(sink.messages).toEqual([]);
  });
});

/** The app with a way to the database that can be cut. */
async function behindProxy(): Promise<{ proxy: TcpProxy; app: App }> {
  const proxy = await tcpProxy(test.connection);
  sending.atEnd(() => proxy.close());
  const control = openDatabase({ ...proxy.connection, max: 5 }, () => undefined);
  sending.atEnd(() => control.pool.end());
  return { proxy, app: appOver(test.app, control) };
}

/** A run without the connections that would empty it, and what the runs of one engine share. */
function makeRun(app = test.app, db = test.db, of?: EngineParts): { run: SingleRun; parts: EngineParts } {
  const parts = of ?? {
    app,
    holder: { owner: 'one', leaseS: 20 },
    hourly: new HourlyPermits(app.control),
    providers: new Providers(app.control, 'one', () => undefined),
    suspensions: new Suspensions(app),
    retry: standardRetry,
  };
  return { run: new SingleRun(parts, db, { mayGoOn: async () => true, wake: () => undefined }), parts };
}

it('single messages are not offered while their provider has no connection left', async () => {
  await limitProvider(sql`max_connections = 1`);
  await forward(2);
  const { run, parts } = makeRun();
  await parts.providers.refresh();
  await run.poll();
  // Its connection is only requested. What is offered and not given would be requested again without a pause.
  expect(run.take()).toBeUndefined();
  expect(run.readyCount).toBe(0);
  await until(() => run.take() !== undefined, 'the connection');
  expect(run.take()).toBeUndefined();
  expect(run.readyCount).toBe(0);
});

it('single messages that were read a while ago are re-read before they are offered again', async () => {
  await forward(2);
  const { run } = makeRun();
  await run.poll();
  expect(run.readyCount).toBe(2);
  sending.atEnd(async () => vi.restoreAllMocks());
  const later = performance.now() + staleAfterMs + 1;
  vi.spyOn(performance, 'now').mockImplementation(() => later);
  expect(run.take()).toBeUndefined();
  expect(run.readyCount).toBe(0);
  const { id } = await test.db.one<{ id: number }>(
    sql`select min(id_message) as id from ${test.db.t.forward}`,
  );
  await blockForwards(test.db, id, test.clock.now());
  await run.poll();
  expect(await states()).toEqual(['cancelled', 'pending, kept']);
  expect(run.readyCount).toBe(1);
});

/** A database whose answers to what is written can come late. */
class LateDb extends SiteDb {
  answersAfter: Promise<void> | undefined;

  override async run(query: Sql): Promise<number> {
    const { answersAfter } = this;
    const rows = await super.run(query);
    await answersAfter;
    return rows;
  }
}

describe('single messages that are released untried', () => {
  it('are held when they are taken again before we hear that they were released', async () => {
    await forward(1);
    const db = new LateDb(test.app.control, test.db.site);
    const { run } = makeRun(test.app, db);
    await run.poll();
    let answer: () => void = () => undefined;
    db.answersAfter = new Promise((resolve) => (answer = resolve));
    run.take()!.delivered({ kind: 'notAttempted', text: '' }, true);
    db.answersAfter = undefined;
    const given = sql`select from ${test.db.t.single_message} where lease_until is null`;
    await until(async () => (await test.db.rows(given)).length === 1, 'it is returned');
    await run.poll();
    expect(run.readyCount).toBe(1);
    answer();
    await run.commit.idle();
    expect(run.isOver).toBe(false);
  });

  it('use up nothing of what may be sent to their provider', async () => {
    await limitProvider(sql`messages_per_hour = 1`);
    await forward(1);
    const first = makeRun();
    await first.parts.providers.refresh();
    await first.run.poll();
    expect(first.run.readyCount).toBe(1);
    await first.run.stop();
    const { run } = makeRun(test.app, test.db, first.parts);
    await run.poll();
    expect(run.readyCount).toBe(1);
  });

  it('are held no more, even when the database is unavailable just then', async () => {
    const { proxy, app } = await behindProxy();
    await forward(3);
    const { run } = makeRun(app, (await app.siteById(test.db.site.id))!);
    await run.poll();
    expect(run.readyCount).toBe(3);
    proxy.cut();
    await expect(run.stop()).rejects.toThrow();
    expect(run.isOver).toBe(true);
  });
});

describe('when a process or the database goes', () => {
  it('killed before the intent: the next one hands it over, once', async () => {
    const sink = await sending.relay();
    await forward(1, new Date());
    // The contents are read after the message is held, and before the intent.
    const hold = await Hold.of(
      test.connection,
      `lock table ${test.db.site.schema}.job in access exclusive mode`,
    );
    const worker = await startWorker();
    await hold.reached();
    await worker.end('SIGKILL');
    await hold.letGo();
    expect(await states()).toEqual(['pending, kept']);
    await startWorker();
    await over();
    expect(await states()).toEqual(['accepted']);
    expect(sink.messages).toHaveLength(1);
  });

  it('killed between the commit of the intent and the dot: uncertain, and never sent', async () => {
    const proxy = await tcpProxy(test.connection);
    sending.atEnd(() => proxy.close());
    const sink = await sending.relay();
    proxy.holdFrom(/single_message"? m set state = \S+ lease_until = .* where m.id = i.id/s);
    await forward(1, new Date());
    const worker = await startWorker(proxy.connection);
    await until(async () => (await states())[0] === 'handingOver, kept', 'the intent is committed');
    await worker.end('SIGKILL');
    await startWorker();
    await over();
    expect(await states()).toEqual(['uncertain']);
    expect(sink.messages).toEqual([]);
  });

  it('killed after the dot: uncertain, and never sent again', async () => {
    const sink = await sending.relay({ misdeed: () => 'takeAndHang' });
    await forward(1, new Date());
    const worker = await startWorker();
    await until(() => sink.messages.length > 0, 'the message is taken');
    await worker.end('SIGKILL');
    expect(await states()).toEqual(['handingOver, kept']);
    await startWorker();
    await over();
    expect(await states()).toEqual(['uncertain']);
    expect(sink.messages).toHaveLength(1);
  });

  it('the database unavailable between the dot and the outcome: still accepted', async () => {
    const { proxy, app } = await behindProxy();
    const sink = await sending.relay({ onMessage: () => proxy.cut(), delayMs: 50 });
    await forward(1);
    sending.engine({}, app);
    await until(() => sink.messages.length > 0, 'the message is taken');
    proxy.restore();
    await over();
    expect(await states()).toEqual(['accepted']);
    expect(sink.messages).toHaveLength(1);
  });

  it('the database unavailable while the content is read: deferred, not refused', async () => {
    const { proxy, app } = await behindProxy();
    const sink = await sending.relay();
    await forward(1);
    const hold = await Hold.of(
      test.connection,
      `lock table ${test.db.site.schema}.job in access exclusive mode`,
    );
    sending.engine({ retry: { delays: [0], giveUpAfter: 86_400_000 } }, app);
    await hold.reached();
    proxy.cut();
    await hold.letGo();
    proxy.restore();
    await over();
    expect(await states()).toEqual(['accepted']);
    expect(sink.messages).toHaveLength(1);
  });
});
