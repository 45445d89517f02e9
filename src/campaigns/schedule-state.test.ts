import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  checkEditable,
  checkMove,
  checkSchedulable,
  mayMove,
  type ScheduleState,
  scheduleStates,
} from './schedule-state.ts';

// The whole table, drawn again by hand: a row's state may become the states marked.
const drawn: Record<ScheduleState, string> = {
  //           None Prog InPr Paus Stop Fini Miss Erro
  None: '       -    x    -    -    -    -    -    -',
  Programmed: ' x    -    x    x    x    -    x    x',
  InProgress: ' -    x    -    x    x    x    -    x',
  Paused: '     -    x    x    -    x    -    -    -',
  Stopped: '    -    x    -    -    -    -    -    -',
  Finished: '   -    x    -    -    -    -    -    -',
  Missed: '     -    x    -    -    -    -    -    -',
  Error: '      -    x    -    -    -    -    -    -',
};

describe('the moves of a campaign', () => {
  it.each(scheduleStates)('from %s', (from) => {
    const marks = drawn[from].trim().split(/ +/);
    expect(scheduleStates.map((to) => (mayMove(from, to) ? 'x' : '-'))).toEqual(marks);
  });

  it('are those of the table in docs/guide.md', () => {
    const guide = readFileSync(new URL('../../docs/guide.md', import.meta.url), 'utf8');
    const rows = [...guide.matchAll(/^\| (\w+) → \| (.+) \|$/gm)].map(([, from, cells]) => [
      from,
      cells!.split(' | ').map((cell) => (cell.trim() === '–' ? '-' : 'x')),
    ]);
    expect(rows).toEqual(
      scheduleStates.map((from) => [from, scheduleStates.map((to) => (mayMove(from, to) ? 'x' : '-'))]),
    );
  });

  it('names both states when it refuses', () => {
    expect(() => checkMove('Finished', 'Paused')).toThrow('The campaign is finished, so it cannot be paused');
    expect(() => checkMove('None', 'Programmed')).not.toThrow();
  });

  it('lets a schedule replace another one only, or what is neither planned nor running', () => {
    const schedulable = scheduleStates.filter((state) => {
      try {
        checkSchedulable(state, 'Calendar');
        return true;
      } catch {
        return false;
      }
    });
    expect(schedulable).toEqual(['None', 'Programmed', 'Stopped', 'Finished', 'Missed', 'Error']);
    expect(() => checkSchedulable('Programmed', 'Immediate')).toThrow('is about to be sent');
  });

  it('lets nothing change what is being sent', () => {
    const locked = scheduleStates.filter((state) => {
      try {
        checkEditable(state);
        return false;
      } catch {
        return true;
      }
    });
    expect(locked).toEqual(['InProgress', 'Paused']);
  });

  it('says with it that a stop is final', () => {
    expect(() => checkEditable('Paused')).toThrow(
      'The campaign is Paused and cannot be changed; stop it first: once stopped it cannot be resumed, ' +
        'and what is sent again goes to everybody',
    );
    expect(mayMove('Stopped', 'InProgress')).toBe(false);
  });
});
