import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { until } from '../../testing/until.ts';
import { Providers } from './providers.ts';
import { ReadyQueue } from './ready-queue.ts';

/** Of the first provider one connection may be used; the others have no limit. */
const limited = 1;
const free = 2;

let test: TestApp;
let providers: Providers;
beforeAll(async () => {
  test = await testApp();
  await test.app.control.run(sql`update facteur.provider set max_connections = 1 where id = ${limited}`);
  providers = new Providers(test.app.control, 'one', (error) => {
    throw error;
  });
  await providers.refresh();
  await until(() => {
    const isOurs = providers.enter(limited);
    if (isOurs) providers.leave(limited);
    return isOurs;
  }, 'its connection is ours');
});
afterAll(() => test.close());

interface Stand {
  readonly name: string;
  readonly provider: number;
  isFresh: boolean;
}

function queueOf(...stands: [name: string, provider: number][]) {
  const given: [name: string, isProviderFull: boolean][] = [];
  const queue = new ReadyQueue<Stand>(providers, ({ name }, isFull) => given.push([name, isFull]));
  const all = stands.map(([name, provider]): Stand => ({ name, provider, isFresh: true }));
  for (const one of all) queue.push(one);
  return { queue, given, all };
}

describe('recipients that are ready', () => {
  it('pass one whose provider is busy, who is the next when it is free', () => {
    const { queue, given } = queueOf(['a', limited], ['b', limited], ['c', free], ['d', free]);
    expect(queue.take()?.name).toBe('a');
    expect(queue.take()?.name).toBe('c');
    expect([queue.hasWaiting, queue.takeable, queue.length]).toEqual([true, 1, 1]);
    providers.leave(limited);
    expect(queue.takeable).toBe(2);
    expect(['b', 'd']).toEqual([queue.take()?.name, queue.take()?.name]);
    expect([queue.take(), queue.hasWaiting]).toEqual([undefined, false]);
    providers.leave(limited);
    expect(given).toEqual([]);
  });

  it('go back when too many wait for a provider, when they were read too long ago, and when all is over', () => {
    const many = Array.from({ length: 67 }, (_, i): [string, number] => [`w${i}`, limited]);
    const { queue, given, all } = queueOf(...many);
    expect(queue.take()?.name).toBe('w0');
    expect(queue.take()).toBeUndefined();
    // 64 of 66 are kept.
    expect(given.splice(0)).toEqual([
      ['w65', true],
      ['w66', true],
    ]);
    all[1]!.isFresh = false;
    providers.leave(limited);
    expect(queue.take()?.name).toBe('w2');
    expect(given.splice(0)).toEqual([['w1', false]]);
    queue.clear();
    expect(given).toHaveLength(62);
    expect(given.every(([, isFull]) => !isFull)).toBe(true);
    expect([queue.take(), queue.takeable]).toEqual([undefined, 0]);
    providers.leave(limited);
  });
});
