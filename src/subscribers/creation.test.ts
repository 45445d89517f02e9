import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runsOf } from './creation.ts';
import { groupsOfDistinct } from './subscription.ts';

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

describe('groupsOfDistinct', () => {
  const of = (...ids: number[]) => ids.map((idSubscriber) => ({ idSubscriber }));
  const positions = (groups: readonly (readonly { readonly position: number }[])[]) =>
    groups.map((group) => group.map(({ position }) => position));

  it('makes one group more for each time that somebody comes again', () => {
    expect(positions(groupsOfDistinct(of(1, 2, 1, 3, 3, 1)))).toEqual([[0, 1, 3], [2, 4], [5]]);
    expect(groupsOfDistinct([])).toEqual([]);
  });

  it('makes one group for each key, however the keys alternate', () => {
    const key = ({ idSubscriber }: { idSubscriber: number }) => String(idSubscriber % 2);
    expect(positions(groupsOfDistinct(of(1, 2, 3, 4, 5, 1), key))).toEqual([[0, 2, 4], [1, 3], [5]]);
  });

  it('loses nobody and keeps the order of what is about one person', () => {
    const elements = fc.array(
      fc.record({ idSubscriber: fc.integer({ min: 1, max: 5 }), kind: fc.constantFrom('a', 'b') }),
    );
    fc.assert(
      fc.property(elements, (list) => {
        const groups = groupsOfDistinct(list, ({ kind }) => kind);
        const all = groups.flat();
        expect(all.map(({ position }) => position).sort((a, b) => a - b)).toEqual([...list.keys()]);
        for (const id of [1, 2, 3, 4, 5]) {
          const own = all
            .filter(({ element }) => element.idSubscriber === id)
            .map(({ position }) => position);
          expect(own).toEqual([...own].sort((a, b) => a - b));
        }
        for (const group of groups) {
          expect(new Set(group.map(({ element }) => element.idSubscriber)).size).toBe(group.length);
          expect(new Set(group.map(({ element }) => element.kind)).size).toBe(1);
        }
      }),
    );
  });
});
