import { describe, expect, it } from 'vitest';
import { checkAct, type ImportAct, type ImportStatus } from './import-state.ts';

// The whole table, drawn again by hand: the acts that a status allows are marked.
const drawn: Record<ImportStatus, string> = {
  //                     paused resumed deleted rescheduled
  Scheduled: '            x      -       x       x',
  InProgress: '           x      -       -       -',
  Completed: '            -      -       x       -',
  Paused: '               -      x       x       x',
  PackageErrorCreation: ' -      -       x       -',
  Deleted: '              -      -       -       -',
};
const acts: readonly ImportAct[] = ['paused', 'resumed', 'deleted', 'rescheduled'];

function isAllowed(status: ImportStatus, act: ImportAct): boolean {
  try {
    checkAct(status, act);
    return true;
  } catch {
    return false;
  }
}

describe('the acts on an import', () => {
  it.each(Object.keys(drawn) as ImportStatus[])('that is %s', (status) => {
    const marks = drawn[status].trim().split(/ +/);
    expect(acts.map((act) => (isAllowed(status, act) ? 'x' : '-'))).toEqual(marks);
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
