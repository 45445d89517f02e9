import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '../../platform/db/database.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { type MadeSending, makeSending, sendingResult } from '../../testing/make-sending.ts';
import { addRelay, SendingTester } from '../../testing/sending-tester.ts';
import { until } from '../../testing/until.ts';
import type { SendingEngine } from './engine.ts';
import { acquireConnections, demandConnections, releaseConnections, shareOf } from './permit-store.ts';
import { ConnectionPermits } from './permits.ts';

let test: TestApp;
let sending: SendingTester;
beforeAll(async () => {
  test = await testApp();
  sending = new SendingTester(test);
});
afterEach(() => sending.end());
afterAll(() => test.close());

describe('the share of a limit', () => {
  it('adds up to the limit, and each process has its turn of what is left over', () => {
    const numbers = { max: fc.integer({ min: 1, max: 50 }), count: fc.integer({ min: 1, max: 20 }) };
    fc.assert(
      fc.property(fc.record({ ...numbers, turn: fc.nat(1_000_000) }), ({ max, count, turn }) => {
        const ranks = Array.from({ length: count }, (_, rank) => rank);
        const at = (rank: number, now: number) => shareOf(max, { count, rank, turn: now });
        expect(ranks.reduce((sum, rank) => sum + at(rank, turn), 0)).toBe(max);
        for (const rank of ranks)
          expect(Math.max(...ranks.map((later) => at(rank, turn + later)))).toBeGreaterThanOrEqual(1);
      }),
    );
  });
});

describe('permits that processes share', () => {
  const key = 'provider:7';
  const owners = () =>
    test.app.control.rows<{ owner: string; n: number }>(sql`
      select owner, count(*)::int as n from facteur.connection_permit where key = ${key} group by 1 order by 1`);

  it('move from one process to the other as they are released, never over the limit', async () => {
    const { control } = test.app;
    expect(await demandConnections(control, key, 'one')).toMatchObject({ count: 1, rank: 0 });
    expect(await acquireConnections(control, key, 'one', { max: 4, wanted: 4 })).toBe(4);
    expect(await demandConnections(control, key, 'two')).toMatchObject({ count: 2, rank: 1 });
    expect(await acquireConnections(control, key, 'two', { max: 4, wanted: 2 })).toBe(0);
    expect(await demandConnections(control, key, 'one')).toMatchObject({ count: 2, rank: 0 });
    // Three messages of the first are running yet.
    expect(await acquireConnections(control, key, 'one', { max: 4, wanted: 3 })).toBe(3);
    expect(await acquireConnections(control, key, 'two', { max: 4, wanted: 2 })).toBe(1);
    expect(await acquireConnections(control, key, 'one', { max: 4, wanted: 2 })).toBe(2);
    expect(await acquireConnections(control, key, 'two', { max: 4, wanted: 2 })).toBe(2);
    expect(await owners()).toEqual([
      { owner: 'one', n: 2 },
      { owner: 'two', n: 2 },
    ]);
    // One died: its permits and its demand expire.
    await control.run(sql`
      update facteur.connection_permit set held_until = clock_timestamp() - interval '1 s' where owner = 'one'`);
    await control.run(sql`
      update facteur.permit_demand set until = clock_timestamp() - interval '2 minutes' where owner = 'one'`);
    expect(await demandConnections(control, key, 'two')).toMatchObject({ count: 1, rank: 0 });
    expect(await acquireConnections(control, key, 'two', { max: 4, wanted: 4 })).toBe(4);
    expect(await control.rows(sql`select owner from facteur.permit_demand`)).toEqual([{ owner: 'two' }]);
    // The limit was lowered.
    expect(await acquireConnections(control, key, 'two', { max: 1, wanted: 1 })).toBe(1);
    expect(await owners()).toEqual([{ owner: 'two', n: 1 }]);
    await releaseConnections(control, ['two']);
  });

  it('hold the limit whatever comes when', async () => {
    const step = fc.record({
      who: fc.nat(2),
      act: fc.constantFrom('enter', 'enter', 'leave', 'renew', 'renewAndEnter'),
    });
    const steps = fc.array(step, { minLength: 30, maxLength: 60 });
    let provider = 1_000;
    let most = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (max, drawn) => {
        provider += 1;
        const three = new Three(provider, max);
        for (const { who, act } of drawn) await three[act](who);
        expect(three.peak).toBeLessThanOrEqual(max);
        most = Math.max(most, three.peak);
      }),
      { numRuns: 40 },
    );
    expect(most).toBeGreaterThan(1);
  });
});

describe('the permits of one process', () => {
  const max = 1;
  const taken = async (provider: number) => {
    const permits = new ConnectionPermits(test.app.control, 'p', `provider:${provider}`);
    permits.free(max, () => {});
    await permits.renew(max);
    expect(permits.free(max, () => {})).toBe(1);
    permits.acquire();
    return permits;
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('go to the longest waiting caller, even if the one that releases requests again immediately', async () => {
    const permits = await taken(2_001);
    const woken: string[] = [];
    const wakes = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, () => void woken.push(name)]));
    for (const name of ['b', 'c', 'b']) expect(permits.free(max, wakes[name]!)).toBe(0);
    permits.release();
    expect(permits.free(max, wakes.a!)).toBe(0);
    await turn();
    expect(woken).toEqual(['b', 'c', 'a']);
    expect(permits.free(max, wakes.a!)).toBe(1);
  });

  it('are free immediately if no caller waits, and wake no caller twice', async () => {
    const permits = await taken(2_002);
    permits.release();
    expect(permits.free(max, () => {})).toBe(1);
    permits.acquire();
    let woken = 0;
    expect(
      permits.free(max, () => {
        woken += 1;
      }),
    ).toBe(0);
    for (let times = 0; times < 2; times++) {
      permits.release();
      await turn();
      permits.acquire();
    }
    expect(woken).toBe(1);
  });

  it('wake the callers when the first ones are acquired', async () => {
    const permits = new ConnectionPermits(test.app.control, 'p', 'provider:2003');
    let woken = 0;
    const wake = () => {
      woken += permits.free(max, () => {});
    };
    expect(permits.free(max, wake)).toBe(0);
    await permits.renew(max);
    expect(woken).toBe(1);
  });
});

/** Three processes with messages for one provider. */
class Three {
  readonly #max: number;
  readonly #permits: readonly ConnectionPermits[];
  readonly #underWay = [0, 0, 0];
  readonly #wakes = [0, 1, 2].map((who) => () => this.enter(who));
  #sent = () => {};
  peak = 0;

  constructor(provider: number, max: number) {
    this.#max = max;
    const { control } = test.app;
    const told = {
      one: control.one.bind(control),
      run: (query: Sql) => {
        const answer = control.run(query);
        this.#sent();
        return answer;
      },
    } as Connection;
    this.#permits = [0, 1, 2].map((n) => new ConnectionPermits(told, `p${n}`, `provider:${provider}`));
  }

  enter(who: number): void {
    // A caller that finds none free begins at the moment at which it is woken.
    if (this.#permits[who]!.free(this.#max, this.#wakes[who]!) === 0) return;
    this.#permits[who]!.acquire();
    this.#underWay[who]! += 1;
    this.peak = Math.max(
      this.peak,
      this.#underWay.reduce((sum, one) => sum + one, 0),
    );
  }

  leave(who: number): void {
    if (this.#underWay[who] === 0) return;
    this.#permits[who]!.release();
    this.#underWay[who]! -= 1;
  }

  renew(who: number): Promise<void> {
    return this.#permits[who]!.renew(this.#max);
  }

  /** Adds messages while the statement for the permits runs. */
  async renewAndEnter(who: number): Promise<void> {
    this.#sent = () => {
      for (let n = 0; n < this.#max; n++) this.enter(who);
    };
    await this.renew(who);
    this.#sent = () => {};
  }
}

it('engines that send at once keep to the connections of a provider together', async () => {
  const sink = await sending.sink({ delayMs: 10 });
  await test.app.control.run(sql`update facteur.provider set max_connections = 3 where id = 1`);
  const engines: SendingEngine[] = [];
  const sendings: { db: SiteDb; made: MadeSending }[] = [];
  // Each has a site and a route of its own.
  for (const db of [test.db, test.otherDb]) {
    await addRelay(db, sink.port);
    sendings.push({
      db,
      made: await makeSending(db, { recipients: 150, rangeSize: 20, domain: 'gmail.com' }),
    });
    const siteById = async (id: number) => (id === db.site.id ? db : undefined);
    engines.push(sending.engine({}, { ...test.app, siteById }));
  }
  const isOver = async ({ db, made }: (typeof sendings)[number]) =>
    (await sendingResult(db, made)).state === 'Finished';
  await until(async () => (await Promise.all(sendings.map(isOver))).every(Boolean), 'both end');
  expect(sink.messages).toHaveLength(300);
  expect(sink.peakMessages()).toBeLessThanOrEqual(3);
  for (const engine of engines) await engine.stop();
  expect(
    await test.app.control.rows(sql`select * from facteur.permit_demand where key = 'provider:1'`),
  ).toEqual([]);
});
