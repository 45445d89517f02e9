import { expect, it } from 'vitest';
import { Batcher } from './batcher.ts';

it('flushes what one turn of the event loop brought together, and the next when the flush has ended', async () => {
  const flushed: (readonly number[])[] = [];
  let end: () => void = () => undefined;
  const batcher = new Batcher<number>((items) => {
    flushed.push(items);
    return new Promise((resolve) => {
      end = resolve;
    });
  }, 10);
  const first = [batcher.add(1), batcher.add(2)];
  await new Promise(setImmediate);
  const second = batcher.add(3);
  await new Promise(setImmediate);
  expect(flushed).toEqual([[1, 2]]);
  end();
  await Promise.all(first);
  await new Promise(setImmediate);
  expect(flushed).toEqual([[1, 2], [3]]);
  end();
  await second;
});

it('takes no more than the most for one flush, in their order', async () => {
  const flushed: (readonly number[])[] = [];
  const batcher = new Batcher<number>(async (items) => void flushed.push(items), 2);
  await Promise.all([1, 2, 3, 4, 5].map((item) => batcher.add(item)));
  expect(flushed).toEqual([[1, 2], [3, 4], [5]]);
});

it('reports a failed flush to its own callers only, and continues', async () => {
  const batcher = new Batcher<number>(async ([item]) => {
    if (item === 1) throw new Error('refused');
  }, 1);
  const [first, second] = await Promise.allSettled([batcher.add(1), batcher.add(2)]);
  expect(first).toMatchObject({ status: 'rejected', reason: { message: 'refused' } });
  expect(second).toMatchObject({ status: 'fulfilled' });
});

it('reports a flush that failed without a reason as failed', async () => {
  const batcher = new Batcher<number>(() => Promise.reject(undefined), 1);
  await expect(batcher.add(1)).rejects.toThrow('without a reason');
});

it('is idle when nothing waits, and takes more afterwards', async () => {
  const flushed: number[] = [];
  const batcher = new Batcher<number>(async (items) => void flushed.push(...items), 2);
  const all = [1, 2, 3].map((item) => batcher.add(item));
  await batcher.idle();
  expect(flushed).toEqual([1, 2, 3]);
  await Promise.all(all);
  await batcher.add(4);
  expect(flushed).toEqual([1, 2, 3, 4]);
});

it('also reports a flush that throws before it returns a promise, and continues', async () => {
  const batcher = new Batcher<number>(([item]) => {
    if (item === 1) throw new Error('refused');
    return Promise.resolve();
  }, 1);
  const [first, second] = await Promise.allSettled([batcher.add(1), batcher.add(2)]);
  expect(first).toMatchObject({ status: 'rejected', reason: { message: 'refused' } });
  expect(second).toMatchObject({ status: 'fulfilled' });
});
