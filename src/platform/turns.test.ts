import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

it('lets as many continue as there are places, the others in their order', async () => {
  const turns = new Turns('uploads', 2, 10);
  const order: number[] = [];
  const take = async (n: number) => {
    const end = await turns.take();
    order.push(n);
    return end;
  };
  const [first, second] = [await take(1), await take(2)];
  const [third, fourth] = [take(3), take(4)];
  expect(order).toEqual([1, 2]);
  second();
  second();
  await third;
  expect(order).toEqual([1, 2, 3]);
  first();
  await fourth;
  expect(order).toEqual([1, 2, 3, 4]);
});

it('503 for one who would wait behind too many, and a place again when one ends', async () => {
  const turns = new Turns('uploads', 1, 1);
  const end = await turns.take();
  const waiting = turns.take();
  const refusal = { status: 503, retryAfterS: 1, message: expect.stringContaining('Too many uploads') };
  await expect(turns.take()).rejects.toMatchObject(refusal);
  end();
  (await waiting)();
  (await turns.take())();
});

it('gives its place back when the work fails', async () => {
  const turns = new Turns('uploads', 1, 0);
  await expect(turns.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await turns.run(async () => 1)).toBe(1);
});
