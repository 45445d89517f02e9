import { describe, expect, it } from 'vitest';
import {
  checkAct,
  type ImportAct,
  type ImportStatus,
  importActs,
  mayMove,
  statusAfter,
} from './import-state.ts';

// The whole table, drawn again by hand: a row's state may become the states marked.
const drawn: Record<ImportStatus, string> = {
  //                     Sche InPr Comp Paus Pack Dele
  Scheduled: '            -    x    -    x    x    x',
  InProgress: '           x    -    x    x    x    -',
  Completed: '            -    -    -    -    -    x',
  Paused: '               x    -    -    -    -    x',
  PackageErrorCreation: ' -    -    -    -    -    x',
  Deleted: '              -    -    -    -    -    -',
};
const standings = Object.keys(drawn) as ImportStatus[];

describe('the moves of an import', () => {
  it.each(standings)('from %s', (from) => {
    const marks = drawn[from].trim().split(/ +/);
    expect(standings.map((to) => (mayMove(from, to) ? 'x' : '-'))).toEqual(marks);
  });

  it.each(importActs)('as a user may request: %s', (act) => {
    const allowed = standings.filter((from) => {
      try {
        checkAct(from, act);
        return true;
      } catch {
        return false;
      }
    });
    expect(allowed.filter((from) => !mayMove(from, statusAfter(act)))).toEqual([]);
    const more = standings.filter((from) => mayMove(from, statusAfter(act)) && !allowed.includes(from));
    expect(more).toEqual(act === 'resumed' ? ['InProgress'] : []);
  });

  it.each<[ImportStatus, ImportAct, string]>([
    [
      'Completed',
      'paused',
      'The import is Completed: only one that is Scheduled or InProgress can be paused',
    ],
    ['Scheduled', 'resumed', 'The import is Scheduled: only one that is Paused can be resumed'],
    ['InProgress', 'resumed', 'The import is InProgress: only one that is Paused can be resumed'],
    [
      'InProgress',
      'deleted',
      'The import is InProgress: only one that is Scheduled, Paused, Completed or PackageErrorCreation can be deleted',
    ],
  ])('says of one that is %s what it would have to be to be %s', (standing, act, error) => {
    expect(() => checkAct(standing, act)).toThrow(error);
  });
});
