import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldLog, type LogRow, type OutcomeState, outcomes } from './outcomes.ts';

let minute = 0;
const row = (
  intents: number[],
  ended: readonly (readonly [number, OutcomeState, number?])[] = [],
): LogRow => ({
  at: new Date(60_000 * minute++),
  intents,
  outcomes: ended.map(([id]) => id),
  states: ended.map(([, state]) => state),
  codes: ended.map(([, , code]) => code ?? 0),
});
const { accepted, refused, deferred, withdrawn, uncertain } = outcomes;

describe('the log of a range', () => {
  it('says who has a final state, who waits and whose fate nobody knows', () => {
    const memory = foldLog([
      row([1, 2, 3]),
      row(
        [4],
        [
          [1, accepted, 250],
          [2, deferred, 451],
        ],
      ),
      row(
        [5],
        [
          [3, refused, 550],
          [4, withdrawn],
        ],
      ),
    ]);
    expect([...memory.finals]).toEqual([
      [1, { state: accepted, code: 250 }],
      [3, { state: refused, code: 550 }],
    ]);
    expect([...memory.deferred.keys()]).toEqual([2]);
    expect([...memory.unknown]).toEqual([5]);
  });

  it('counts attempts from the first deferral on, over withdrawals and new intents', () => {
    minute = 0;
    const memory = foldLog([
      row([1]),
      row([], [[1, deferred, 451]]),
      row([1]),
      row([1], [[1, withdrawn]]),
      row([], [[1, deferred, 452]]),
    ]);
    expect(memory.deferred.get(1)).toEqual({ attempts: 2, firstAt: 60_000, lastAt: 240_000, code: 452 });
    expect(memory.unknown.size).toBe(0);
  });

  it('takes an intent that follows an outcome in the same commit for the later one', () => {
    const memory = foldLog([row([1]), row([1], [[1, withdrawn]])]);
    expect([...memory.unknown]).toEqual([1]);
  });

  it('never changes a final state, whatever follows', () => {
    const anyRow = fc.record({
      intents: fc.array(fc.integer({ min: 1, max: 3 })),
      ended: fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom(...Object.values(outcomes)))),
    });
    fc.assert(
      fc.property(fc.array(anyRow), (rows) => {
        const log = [row([], [[1, uncertain]]), ...rows.map(({ intents, ended }) => row(intents, ended))];
        expect(foldLog(log).finals.get(1)?.state).toBe(uncertain);
      }),
    );
  });
});
