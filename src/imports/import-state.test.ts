import { describe, expect, it } from 'vitest';
import { checkMove, type ImportStanding, mayMove } from './import-state.ts';

// The whole table, drawn again by hand: a row's state may become the states marked.
const drawn: Record<ImportStanding, string> = {
  //                     Sche InPr Comp Paus Pack Dele
  Scheduled: '            -    x    -    x    x    x',
  InProgress: '           x    -    x    x    x    -',
  Completed: '            -    -    -    -    -    x',
  Paused: '               x    -    -    -    -    x',
  PackageErrorCreation: ' -    -    -    -    -    x',
  Deleted: '              -    -    -    -    -    -',
};
const standings = Object.keys(drawn) as ImportStanding[];

describe('the moves of an import', () => {
  it.each(standings)('from %s', (from) => {
    const marks = drawn[from].trim().split(/ +/);
    expect(standings.map((to) => (mayMove(from, to) ? 'x' : '-'))).toEqual(marks);
  });

  it('names both states when it refuses', () => {
    expect(() => checkMove('Completed', 'Paused')).toThrow(
      'The import is Completed and cannot become Paused',
    );
  });
});
