import { describe, expect, it } from 'vitest';
import { runsOf } from './creation.ts';
import { runsOfDistinct } from './subscription.ts';

const insert = (email: string) => ({ fields: [{ idField: 1, value: email }] });
const update = (id: number, ...idFields: number[]) => ({
  id,
  fields: idFields.map((idField) => ({ idField, value: 1 })),
});
const lengths = (runs: readonly (readonly unknown[])[]) => runs.map((run) => run.length);

describe('runsOf', () => {
  it.each([
    ['nothing', [], []],
    ['inserts together', [insert('a'), insert('b'), insert('b')], [3]],
    ['inserts apart from updates', [insert('a'), update(1, 101), update(2, 101), insert('b')], [1, 2, 1]],
    ['the same id in different runs', [update(1, 101), update(2), update(1, 102), update(2)], [2, 2]],
    [
      'emails and client ids alone',
      [update(1, 5), update(2, 1), update(3, 5), update(4, 43), update(5, 43)],
      [1, 1, 1, 1, 1],
    ],
    ['no more than 1,000', Array.from({ length: 2500 }, () => insert('a')), [1000, 1000, 500]],
  ])('cuts %s', (_, elements, expected) => {
    const runs = runsOf(elements);
    expect(lengths(runs)).toEqual(expected);
    expect(runs.flat()).toEqual(elements);
  });
});

it('runsOfDistinct cuts where a person comes again or the key changes', () => {
  const of = (...ids: number[]) => ids.map((idSubscriber) => ({ idSubscriber }));
  expect(lengths(runsOfDistinct(of(1, 2, 1, 3, 3)))).toEqual([2, 2, 1]);
  expect(lengths(runsOfDistinct(of(1, 3, 5, 2, 4), ({ idSubscriber }) => String(idSubscriber % 2)))).toEqual([
    3, 2,
  ]);
});
