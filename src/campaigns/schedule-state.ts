import { conflict } from '../platform/http/refusal.ts';

/** How a campaign was scheduled. */
export type ScheduleType = 'None' | 'Calendar' | 'Daily' | 'Immediate';

/** The states of a campaign's schedule; GLOSSARY.md explains them. */
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
 * Every allowed transition of a campaign. From the states in which nothing is planned or running, only Programmed can
 * follow: the campaign can be sent again, as a new job.
 */
const moves: Readonly<Record<ScheduleState, readonly ScheduleState[]>> = {
  None: ['Programmed'],
  // None: all its dates were removed. Missed: the service was down for more than an hour after the date.
  Programmed: ['InProgress', 'Paused', 'Stopped', 'Missed', 'Error', 'None'],
  // Programmed: a daily or multi-date campaign waits for its next run, or its generation failed and is retried.
  InProgress: ['Paused', 'Stopped', 'Finished', 'Error', 'Programmed'],
  // Programmed: it was paused before its audience was frozen, and is generated from scratch.
  Paused: ['InProgress', 'Programmed', 'Stopped'],
  Stopped: ['Programmed'],
  Finished: ['Programmed'],
  Missed: ['Programmed'],
  Error: ['Programmed'],
};

/** Whether the table allows the transition. No state has one to itself. */
export function mayMove(from: ScheduleState, to: ScheduleState): boolean {
  return moves[from].includes(to);
}

/** A state as an error describes it, and what a caller wanted who requested it. */
const inWords: Readonly<Record<ScheduleState, readonly [is: string, request: string]>> = {
  None: ['has no schedule', 'lose its schedule'],
  Programmed: ['is scheduled', 'be scheduled'],
  InProgress: ['is being sent', 'be sent'],
  Paused: ['is paused', 'be paused'],
  Stopped: ['is stopped', 'be stopped'],
  Finished: ['is finished', 'be finished'],
  Missed: ['missed its date', 'miss its date'],
  Error: ['ended with an error', 'end with an error'],
};

/** @throws 409 that describes the state and the request */
export function checkMove(from: ScheduleState, to: ScheduleState): void {
  if (from === to)
    throw conflict(`The campaign already ${inWords[to][0]}`.replace('already is', 'is already'));
  if (!mayMove(from, to)) throw conflict(`The campaign ${inWords[from][0]}, so it cannot ${inWords[to][1]}`);
}

/** States in which a sending is scheduled, runs or is paused. In the others the campaign has no dates. */
export const plannedStates: readonly ScheduleState[] = ['Programmed', 'InProgress', 'Paused'];

/**
 * Checks that a call may schedule the campaign. The new schedule replaces a pending one.
 * @throws 409 that describes the state and the request
 */
export function checkSchedulable(state: ScheduleState, type: ScheduleType): void {
  if (state === 'Paused') {
    throw conflict('The campaign is paused; resume or stop it before you schedule it');
  }
  if (state !== 'Programmed') checkStart(state);
  else if (type === 'Immediate')
    throw conflict('The campaign is about to be sent; stop it before you schedule it');
}

/** Checks that a call may start the campaign. @throws 409 while it is being sent */
export function checkStart(state: ScheduleState): void {
  if (state === 'InProgress')
    throw conflict('The campaign is already being sent; stop it before you schedule it again');
  checkMove(state, 'Programmed');
}

/** While messages leave, what they are made of must not change: they were frozen with it. */
export function checkEditable(state: ScheduleState): void {
  if (state === 'InProgress' || state === 'Paused') {
    const final = 'once stopped it cannot be resumed, and what is sent again goes to everybody';
    throw conflict(`The campaign is ${state} and cannot be changed; stop it first: ${final}`);
  }
}
