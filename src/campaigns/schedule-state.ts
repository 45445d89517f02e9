import { conflict } from '../platform/http/refusal.ts';

/** How a campaign was put on the calendar. */
export type ScheduleType = 'None' | 'Calendar' | 'Daily' | 'Immediate';

/** Where a campaign stands; GLOSSARY.md has the words. */
export const scheduleStates = [
  'None',
  'Programmed',
  'InProgress',
  'Paused',
  'Stopped',
  'Finished',
  'Missed',
  'Error',
] as const;
export type ScheduleState = (typeof scheduleStates)[number];

/**
 * Every move that a campaign can make; any other is refused. The states in which nothing is planned or running lead
 * back to Programmed only: a campaign can be sent again, as a new job.
 */
const moves: Readonly<Record<ScheduleState, readonly ScheduleState[]>> = {
  None: ['Programmed'],
  // None: its dates were all taken back. Missed: the service was down for more than an hour after the time.
  Programmed: ['InProgress', 'Paused', 'Stopped', 'Missed', 'Error', 'None'],
  // Programmed: a daily or multi-date campaign waits for its next run; or its generation failed, and is tried again.
  InProgress: ['Paused', 'Stopped', 'Finished', 'Error', 'Programmed'],
  // Programmed: it was paused before its audience was frozen, and is generated anew.
  Paused: ['InProgress', 'Programmed', 'Stopped'],
  Stopped: ['Programmed'],
  Finished: ['Programmed'],
  Missed: ['Programmed'],
  Error: ['Programmed'],
};

/** Is the move in the table? A state does not move to itself. */
export function mayMove(from: ScheduleState, to: ScheduleState): boolean {
  return moves[from].includes(to);
}

/** @throws 409 that names both states. */
export function checkMove(from: ScheduleState, to: ScheduleState): void {
  if (from === to) throw conflict(`The campaign is ${to} already`);
  if (!mayMove(from, to)) throw conflict(`The campaign is ${from} and cannot become ${to}`);
}

/** In these states a sending is to come, runs or is paused: in the others the campaign has no dates. */
export const plannedStates: readonly ScheduleState[] = ['Programmed', 'InProgress', 'Paused'];

/**
 * May a call give a campaign a schedule? It replaces the one for which the campaign waits.
 * @throws 409 that names both states
 */
export function checkSchedulable(state: ScheduleState, type: ScheduleType): void {
  if (state === 'Paused') {
    throw conflict('The campaign is Paused and cannot become Programmed by a schedule; resume it or stop it');
  }
  if (state !== 'Programmed') checkStart(state);
  else if (type === 'Immediate')
    throw conflict('The campaign is Programmed already, to be sent now; stop it before you schedule it');
}

/** Only the run of a calendar leads a campaign that is sending back to Programmed, never a call. @throws 409 */
export function checkStart(state: ScheduleState): void {
  if (state === 'InProgress')
    throw conflict('The campaign is InProgress and cannot become Programmed by a call');
  checkMove(state, 'Programmed');
}

/** While messages leave, what they are made of must not change: they were frozen with it. */
export function checkEditable(state: ScheduleState): void {
  if (state === 'InProgress' || state === 'Paused') {
    const final = 'once stopped it cannot be resumed, and what is sent again goes to everybody';
    throw conflict(`The campaign is ${state} and cannot be changed; stop it first: ${final}`);
  }
}
