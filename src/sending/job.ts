import type { ScheduleState } from '../campaigns/schedule-state.ts';
import { conflict } from '../platform/http/refusal.ts';

/** Where a generation run of a campaign stands. */
export const jobStates = [
  'Programmed',
  'Generating',
  'Sending',
  'Paused',
  'Stopped',
  'Finished',
  'FinishedWithErrors',
  'Error',
] as const;
export type JobState = (typeof jobStates)[number];

/** The task that freezes a job's audience and messages; its payload is {idSite, idJob}. */
export const generateJobTask = 'generateJob';

/** One generation run of a campaign: a real one, or a test mailing. */
export interface Job {
  readonly id: number;
  readonly idCampaign: number;
  readonly isTest: boolean;
  /** A test mailing on one segment only; null is all segments. */
  readonly idSegment: number | null;
  readonly state: JobState;
  readonly author: string;
  readonly campaignName: string;
  readonly scheduledAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly errorInfo: string | null;
  /** Are its audience and messages frozen? Before that a resumed job is generated, afterwards it continues sending. */
  readonly isFrozen: boolean;
  /** The job whose failed recipients it resends to, never itself a resend; null for a job of its own audience. */
  readonly resendOf: number | null;
  /** Of a resend: whether uncertain recipients were requested as well. */
  readonly resendsUncertain: boolean;
  /** Number of the last try to generate it that was begun, from 1: only that one may freeze it. */
  readonly attempt: number;
}

/**
 * Every move that a job can make; any other is refused. The last four states are final. Pausing and stopping work in
 * every other state; the generation and the engine move with compare-and-set, so that a pause that came between is
 * seen and nothing runs on.
 */
const moves: Readonly<Record<JobState, readonly JobState[]>> = {
  Programmed: ['Generating', 'Paused', 'Stopped', 'Error'],
  // Programmed: the try failed, or its process was killed. Finished: nobody was in the audience.
  Generating: ['Programmed', 'Sending', 'Paused', 'Stopped', 'Finished', 'Error'],
  Sending: ['Paused', 'Stopped', 'Finished', 'FinishedWithErrors', 'Error'],
  // Programmed: paused before it was frozen.
  Paused: ['Programmed', 'Sending', 'Stopped'],
  Stopped: [],
  Finished: [],
  FinishedWithErrors: [],
  Error: [],
};

/** The state of the campaign whose real job is in a state: the two move together. */
export const campaignStateOf: Readonly<Record<JobState, ScheduleState>> = {
  Programmed: 'Programmed',
  Generating: 'InProgress',
  Sending: 'InProgress',
  Paused: 'Paused',
  Stopped: 'Stopped',
  Finished: 'Finished',
  FinishedWithErrors: 'Finished',
  Error: 'Error',
};

/** The states from which `to` can be reached. */
export function statesBefore(to: JobState): JobState[] {
  return jobStates.filter((from) => moves[from].includes(to));
}

/** Whether the state is final: no other can follow. */
export function isFinal(state: JobState): boolean {
  return moves[state].length === 0;
}

/** The states that are not final. */
export const liveStates: readonly JobState[] = jobStates.filter((state) => !isFinal(state));

/** A state as an error describes it. */
const inWords: Readonly<Record<JobState, string>> = {
  Programmed: 'scheduled',
  Generating: 'generated',
  Sending: 'sent',
  Paused: 'paused',
  Stopped: 'stopped',
  Finished: 'finished',
  FinishedWithErrors: 'finished with errors',
  Error: 'ended with an error',
};

/** @throws 409 that describes the state and the request */
export function checkJobMove(from: JobState, to: JobState): void {
  if (!moves[from].includes(to))
    throw conflict(`The job is ${inWords[from]}, so it cannot be ${inWords[to]}`);
}
