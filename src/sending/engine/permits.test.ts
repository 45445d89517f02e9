import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { acquireConnections, releaseConnections } from './permit-store.ts';
import { HourlyPermits } from './permits.ts';

let test: TestApp;
beforeAll(async () => {
  test = await testApp();
});
afterAll(() => test.close());

/** Lets time pass in the bucket. */
const age = (key: string, seconds: number) =>
  test.app.control.run(sql`
    update facteur.send_bucket set filled_at = filled_at - ${seconds} * interval '1 s' where key = ${key}`);

/** The most that a bucket of so many a second has got since `start`: however slow the machine, no more is given. */
const dropped = (perS: number, start: number) => Math.floor(((performance.now() - start) / 1_000) * perS);

describe('a bucket of messages per hour', () => {
  it('is one for all processes', async () => {
    const [here, there] = [new HourlyPermits(test.app.control), new HourlyPermits(test.app.control)];
    // One in 50 s: one at the start, and nothing more until they have passed.
    expect((await here.acquire({ key: 'a', perHour: 72 }, 10)).acquired).toBe(1);
    const none = await there.acquire({ key: 'a', perHour: 72 }, 10);
    expect(none.acquired).toBe(0);
    expect(none.waitMs).toBeGreaterThan(25_000);
    expect(none.waitMs).toBeLessThanOrEqual(50_000);
  });

  it('fills with time, up to a second of its rate', async () => {
    const key = 'b';
    /** Acquires until nothing is left: a second's worth, and no more than was added during that. */
    const taken = async () => {
      let sum = 0;
      const start = performance.now();
      // A new process each time: none waits, and the bucket alone decides.
      for (let given = 1; given > 0; sum += given)
        given = (await new HourlyPermits(test.app.control).acquire({ key, perHour: 36_000 }, 100)).acquired;
      expect(sum).toBeLessThanOrEqual(10 + dropped(10, start));
      return sum;
    };
    expect(await taken()).toBeGreaterThanOrEqual(10);
    await age(key, 0.5);
    expect(await taken()).toBeGreaterThanOrEqual(5);
    await age(key, 3_600);
    expect(await taken()).toBeGreaterThanOrEqual(10);
  });

  it('takes back what was not used, and knows no limit at 0', async () => {
    const limits = new HourlyPermits(test.app.control);
    expect((await limits.acquire({ key: 'c', perHour: 3600 }, 1)).acquired).toBe(1);
    limits.release({ key: 'c', perHour: 3600 }, 1);
    expect((await limits.acquire({ key: 'c', perHour: 3600 }, 1)).acquired).toBe(1);
    expect(await limits.acquire({ key: 'd', perHour: 0 }, 1_000_000)).toEqual({
      acquired: 1_000_000,
      waitMs: 0,
    });
  });

  it('is emptied once by many who ask at once', async () => {
    const start = performance.now();
    const all = await Promise.all(
      Array.from({ length: 20 }, () =>
        new HourlyPermits(test.app.control).acquire({ key: 'e', perHour: 7_200 }, 1),
      ),
    );
    const sum = all.reduce((total, one) => total + one.acquired, 0);
    expect(sum).toBeGreaterThanOrEqual(2);
    expect(sum).toBeLessThanOrEqual(2 + dropped(2, start));
  });
});

describe('permits of connections', () => {
  it('add up to the limit over all processes, and become free with time or when released', async () => {
    const { control } = test.app;
    const take = (owner: string, max: number) =>
      acquireConnections(control, 'r', owner, { max, wanted: max });
    expect(await take('one', 3)).toBe(3);
    expect(await take('one', 3)).toBe(3);
    expect(await take('two', 5)).toBe(2);
    await releaseConnections(control, ['one'], 'r');
    expect(await take('two', 5)).toBe(5);
    await control.run(
      sql`update facteur.connection_permit set held_until = clock_timestamp() - interval '1 s'`,
    );
    expect(await take('three', 5)).toBe(5);
    expect(await take('two', 5)).toBe(0);
  });
});
