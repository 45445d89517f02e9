import { describe, expect, it } from 'vitest';
import { mayMove } from '../campaigns/schedule-state.ts';
import {
  campaignStateOf,
  checkJobMove,
  isFinal,
  type JobState,
  jobStates,
  liveStates,
  statesBefore,
} from './job.ts';

const drawn: Record<JobState, string> = {
  //                   Prog Gene Send Paus Stop Fini FwEr Erro
  Programmed: '         -    x    -    x    x    -    -    x',
  Generating: '         x    -    x    x    x    x    -    x',
  Sending: '            -    -    -    x    x    x    x    -',
  Paused: '             x    -    x    -    x    -    -    -',
  Stopped: '            -    -    -    -    -    -    -    -',
  Finished: '           -    -    -    -    -    -    -    -',
  FinishedWithErrors: ' -    -    -    -    -    -    -    -',
  Error: '              -    -    -    -    -    -    -    -',
};

describe('the moves of a job', () => {
  it.each(jobStates)('from %s', (from) => {
    const marks = drawn[from].trim().split(/ +/);
    expect(jobStates.map((to) => (statesBefore(to).includes(from) ? 'x' : '-'))).toEqual(marks);
  });

  it('has four final states, and can be stopped in every other', () => {
    expect(jobStates.filter(isFinal)).toEqual(['Stopped', 'Finished', 'FinishedWithErrors', 'Error']);
    expect(statesBefore('Stopped')).toEqual(liveStates);
  });

  it('makes no move that its campaign could not follow', () => {
    for (const to of jobStates) {
      for (const from of statesBefore(to)) {
        const [before, after] = [campaignStateOf(from), campaignStateOf(to)];
        expect([from, to, before === after || mayMove(before, after)]).toEqual([from, to, true]);
      }
    }
  });

  it('names both states when it refuses', () => {
    expect(() => checkJobMove('Finished', 'Stopped')).toThrow('The job is finished, so it cannot be stopped');
  });
});
