import { conflict } from '../platform/http/refusal.ts';

export const scheduleTypes = ['None', 'Calendar', 'Daily', 'Immediate'] as const;
export type ScheduleType = (typeof scheduleTypes)[number];

interface StateProperties<S> {
  readonly next: readonly S[];
  /** The state as an error describes it, and the request that leads to it. */
  readonly inWords: readonly [is: string, request: string];
  /** Whether a sending is scheduled, runs or is paused. In the other states the campaign has no dates. */
  readonly isPlanned?: true;
  /** Whether messages are leaving. The campaign must not change then: its messages are frozen. */
  readonly isLocked?: true;
}

/** The states of a schedule (see GLOSSARY.md) and the moves between them; sending again is a new job. */
const states = {
  None: { next: ['Programmed'], inWords: ['has no schedule', 'lose its schedule'] },
  Programmed: {
    // None: all its dates were removed. Missed: the service was down for more than an hour after the date.
    next: ['InProgress', 'Paused', 'Stopped', 'Missed', 'Error', 'None'],
    inWords: ['is scheduled', 'be scheduled'],
    isPlanned: true,
  },
  InProgress: {
    // Programmed: a daily or multi-date campaign waits for its next run, or its generation failed and is retried.
    next: ['Paused', 'Stopped', 'Finished', 'Error', 'Programmed'],
    inWords: ['is being sent', 'be sent'],
    isPlanned: true,
    isLocked: true,
  },
  Paused: {
    // Programmed: it was paused before its audience was frozen, and is generated from scratch.
    next: ['InProgress', 'Programmed', 'Stopped'],
    inWords: ['is paused', 'be paused'],
    isPlanned: true,
    isLocked: true,
  },
  Stopped: { next: ['Programmed'], inWords: ['is stopped', 'be stopped'] },
  Finished: { next: ['Programmed'], inWords: ['is finished', 'be finished'] },
  Missed: { next: ['Programmed'], inWords: ['missed its date', 'miss its date'] },
  Error: { next: ['Programmed'], inWords: ['ended with an error', 'end with an error'] },
} as const;
export type ScheduleState = keyof typeof states;
const propertiesOf: Readonly<Record<ScheduleState, StateProperties<ScheduleState>>> = states;

export const scheduleStates = Object.keys(states) as readonly ScheduleState[];

/** Whether a sending is scheduled, runs or is paused. */
export const isPlanned = (state: ScheduleState): boolean => propertiesOf[state].isPlanned === true;

/** Whether one state can follow the other. No state can follow itself. */
export const mayMove = (from: ScheduleState, to: ScheduleState): boolean =>
  propertiesOf[from].next.includes(to);

/** @throws 409 that describes the state and the request */
export function checkMove(from: ScheduleState, to: ScheduleState): void {
  const [is] = propertiesOf[from].inWords;
  if (from === to) throw conflict(`The campaign already ${is}`.replace('already is', 'is already'));
  if (!mayMove(from, to)) throw conflict(`The campaign ${is}, so it cannot ${propertiesOf[to].inWords[1]}`);
}

/** Checks that a call may schedule the campaign, in place of a pending schedule. @throws 409 with both */
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

/** @throws 409 while messages leave */
export function checkEditable(state: ScheduleState): void {
  if (propertiesOf[state].isLocked) {
    const final = 'once stopped it cannot be resumed, and what is sent again goes to everybody';
    throw conflict(`The campaign is ${state} and cannot be changed; stop it first: ${final}`);
  }
}
