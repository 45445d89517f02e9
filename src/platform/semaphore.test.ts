import { expect, test } from 'vitest';
import { Semaphore } from './semaphore.ts';

const limits = { perOwner: 2, permits: 3, waiting: 2, patienceMs: 60_000 };

/** Work that continues until `end` is called, and whether it has begun. */
function held(semaphore: Semaphore, owner: string) {
  const one = { hasBegun: false, end: () => {}, done: Promise.resolve() as Promise<unknown> };
  one.done = semaphore.run(() => {
    one.hasBegun = true;
    return new Promise<void>((resolve) => {
      one.end = resolve;
    });
  }, owner);
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

test('grants each owner its share, up to all permits', async () => {
  const semaphore = new Semaphore('pies', limits);
  const works = ['a', 'a', 'a', 'b', 'b', 'c'].map((owner) => held(semaphore, owner));
  expect(await begun(works)).toEqual([true, true, false, true, false, false]);
  works[3]!.end();
  // The oldest request of an owner below its share: `a` is at its share.
  expect(await begun(works)).toEqual([true, true, false, true, true, false]);
  works[0]!.end();
  expect(await begun(works)).toEqual([true, true, true, true, true, false]);
  works[1]!.end();
  expect(await begun(works)).toEqual([true, true, true, true, true, true]);
  for (const work of works) work.end();
  await Promise.all(works.map(({ done }) => done));
  expect(await begun(['a', 'a', 'b'].map((owner) => held(semaphore, owner)))).toEqual([true, true, true]);
});

test('429 for an owner with too many waiting requests, and work that fails releases its permit', async () => {
  const semaphore = new Semaphore('pies', limits);
  const works = ['a', 'a', 'a', 'a'].map((owner) => held(semaphore, owner));
  await begun(works);
  await expect(semaphore.run(async () => 1, 'a')).rejects.toMatchObject({ status: 429, retryAfterS: 5 });
  await expect(semaphore.run(() => Promise.reject(new Error('broken')), 'b')).rejects.toThrow('broken');
  expect(await semaphore.run(async () => 1, 'b')).toBe(1);
});

test('429 after the maximum wait, and no permit is granted later', async () => {
  const semaphore = new Semaphore('pies', { ...limits, patienceMs: 1 });
  const works = ['a', 'a', 'a'].map((owner) => held(semaphore, owner));
  await expect(works[2]!.done).rejects.toMatchObject({ status: 429 });
  works[0]!.end();
  works[1]!.end();
  await works[0]!.done;
  expect(await begun(works)).toEqual([true, true, false]);
});

test('an aborted wait leaves the queue, and no permit is granted later', async () => {
  const semaphore = new Semaphore('pies', limits);
  const works = ['a', 'a'].map((owner) => held(semaphore, owner));
  const reason = new Error('gone');
  const { signal, abort } = giver(reason);
  let runs = 0;
  const wait = () => semaphore.run(async () => runs++, 'a', signal);
  const waiting = [wait(), wait()];
  await expect(wait()).rejects.toMatchObject({ status: 429 });
  abort();
  for (const one of waiting) await expect(one).rejects.toBe(reason);
  await expect(wait()).rejects.toBe(reason);
  // Requests may wait again.
  const next = held(semaphore, 'a');
  expect(await begun([next])).toEqual([false]);
  for (const work of works) work.end();
  expect(await begun([next])).toEqual([true]);
  expect(runs).toBe(0);
});

test('a permit that is acquired stays acquired when its signal is aborted', async () => {
  const semaphore = new Semaphore('pies', limits);
  const { signal, abort } = giver(new Error('gone'));
  let end = () => {};
  const work = semaphore.run(() => new Promise<void>((resolve) => (end = resolve)), 'a', signal);
  const others = ['a', 'a'].map((owner) => held(semaphore, owner));
  abort();
  expect(await begun(others)).toEqual([true, false]);
  end();
  await work;
  expect(await begun(others)).toEqual([true, true]);
});

test('grants as many permits as there are, the others in the order of requests', async () => {
  const semaphore = new Semaphore('uploads', { permits: 2, waiting: 10 });
  const order: number[] = [];
  const acquire = async (n: number) => {
    const release = await semaphore.acquire();
    order.push(n);
    return release;
  };
  const [first, second] = [await acquire(1), await acquire(2)];
  const [third, fourth] = [acquire(3), acquire(4)];
  expect(order).toEqual([1, 2]);
  second();
  second();
  await third;
  expect(order).toEqual([1, 2, 3]);
  first();
  await fourth;
  expect(order).toEqual([1, 2, 3, 4]);
});

test('503 when too many requests wait, and a permit again when one is released', async () => {
  const semaphore = new Semaphore('uploads', { permits: 1, waiting: 1 });
  const release = await semaphore.acquire();
  const waiting = semaphore.acquire();
  const refusal = { status: 503, retryAfterS: 1, message: expect.stringContaining('Too many uploads') };
  await expect(semaphore.acquire()).rejects.toMatchObject(refusal);
  release();
  (await waiting)();
  (await semaphore.acquire())();
});

test('releases the permit when the work fails', async () => {
  const semaphore = new Semaphore('uploads', { permits: 1, waiting: 0 });
  await expect(semaphore.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await semaphore.run(async () => 1)).toBe(1);
});
