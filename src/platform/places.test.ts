import { expect, test } from 'vitest';
import { Places } from './places.ts';

const limits = { perOwner: 2, inAll: 3, waiting: 2, patienceMs: 60_000 };

/** Work that continues until it is told to end, and whether it has begun. */
function held(places: Places, owner: string) {
  const one = { hasBegun: false, end: () => {}, done: Promise.resolve() as Promise<unknown> };
  one.done = places.run(owner, () => {
    one.hasBegun = true;
    return new Promise<void>((resolve) => {
      one.end = resolve;
    });
  });
  one.done.catch(() => undefined);
  return one;
}
function giver(reason: Error) {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(reason) };
}
const begun = async (works: readonly { hasBegun: boolean }[]) => {
  await new Promise(setImmediate);
  return works.map(({ hasBegun }) => hasBegun);
};

test('an owner has its share, and others theirs, up to all together', async () => {
  const places = new Places('pies', limits);
  const works = ['a', 'a', 'a', 'b', 'b', 'c'].map((owner) => held(places, owner));
  expect(await begun(works)).toEqual([true, true, false, true, false, false]);
  works[3]!.end();
  // The first who has come and has room: `a` is at its share.
  expect(await begun(works)).toEqual([true, true, false, true, true, false]);
  works[0]!.end();
  expect(await begun(works)).toEqual([true, true, true, true, true, false]);
  works[1]!.end();
  expect(await begun(works)).toEqual([true, true, true, true, true, true]);
  for (const work of works) work.end();
  await Promise.all(works.map(({ done }) => done));
  expect(await begun(['a', 'a', 'b'].map((owner) => held(places, owner)))).toEqual([true, true, true]);
});

test('too many who wait are refused, of that owner only, and work that fails leaves its place', async () => {
  const places = new Places('pies', limits);
  const works = ['a', 'a', 'a', 'a'].map((owner) => held(places, owner));
  await begun(works);
  await expect(places.run('a', async () => 1)).rejects.toMatchObject({ status: 429, retryAfterS: 5 });
  await expect(places.run('b', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await places.run('b', async () => 1)).toBe(1);
});

test('anyone who has waited too long is refused, and takes no place later', async () => {
  const places = new Places('pies', { ...limits, patienceMs: 1 });
  const works = ['a', 'a', 'a'].map((owner) => held(places, owner));
  await expect(works[2]!.done).rejects.toMatchObject({ status: 429 });
  works[0]!.end();
  works[1]!.end();
  await works[0]!.done;
  expect(await begun(works)).toEqual([true, true, false]);
});

test('anyone who gives up leaves the line, and takes no place later', async () => {
  const places = new Places('pies', limits);
  const works = ['a', 'a'].map((owner) => held(places, owner));
  const reason = new Error('gone');
  const { signal, abort } = giver(reason);
  let runs = 0;
  const wait = () => places.run('a', async () => runs++, signal);
  const waiting = [wait(), wait()];
  await expect(wait()).rejects.toMatchObject({ status: 429 });
  abort();
  for (const one of waiting) await expect(one).rejects.toBe(reason);
  await expect(wait()).rejects.toBe(reason);
  // The line has room again.
  const next = held(places, 'a');
  expect(await begun([next])).toEqual([false]);
  for (const work of works) work.end();
  expect(await begun([next])).toEqual([true]);
  expect(runs).toBe(0);
});

test('anyone who has a place keeps it: its signal is its own affair', async () => {
  const places = new Places('pies', limits);
  const { signal, abort } = giver(new Error('gone'));
  let end = () => {};
  const work = places.run('a', () => new Promise<void>((resolve) => (end = resolve)), signal);
  const others = ['a', 'a'].map((owner) => held(places, owner));
  abort();
  expect(await begun(others)).toEqual([true, false]);
  end();
  await work;
  expect(await begun(others)).toEqual([true, true]);
});
