import type { ScheduleState } from '../campaigns/schedule-state.ts';
import { conflict } from '../platform/http/refusal.ts';

interface StateProperties<S> {
  /** The states that can follow; none follows a final state. Every other state can be paused and stopped. */
  readonly next: readonly S[];
  /** The state of the campaign whose real job has this state: the two move together. */
  readonly campaign: ScheduleState;
  /** The state as an error describes it. */
  readonly inWords: string;
  /** Whether the audience and the messages are still to be frozen. */
  readonly isUngenerated?: true;
  /** Whether the job continues without a call. */
  readonly isMoving?: true;
}

/**
 * The states of a job, and every move between them. The generation and the engine move by compare-and-set. If a call
 * has paused or stopped the job, they notice and end.
 */
const states = {
  Programmed: {
    next: ['Generating', 'Paused', 'Stopped', 'Error'],
    campaign: 'Programmed',
    inWords: 'scheduled',
    isUngenerated: true,
    isMoving: true,
  },
  Generating: {
    // Programmed: the attempt failed, or its process was killed. Finished: the audience was empty.
    next: ['Programmed', 'Sending', 'Paused', 'Stopped', 'Finished', 'Error'],
    campaign: 'InProgress',
    inWords: 'generated',
    isUngenerated: true,
    isMoving: true,
  },
  Sending: {
    next: ['Paused', 'Stopped', 'Finished', 'FinishedWithErrors'],
    campaign: 'InProgress',
    inWords: 'sent',
    isMoving: true,
  },
  // Programmed: paused before it was frozen.
  Paused: { next: ['Programmed', 'Sending', 'Stopped'], campaign: 'Paused', inWords: 'paused' },
  Stopped: { next: [], campaign: 'Stopped', inWords: 'stopped' },
  Finished: { next: [], campaign: 'Finished', inWords: 'finished' },
  FinishedWithErrors: { next: [], campaign: 'Finished', inWords: 'finished with errors' },
  Error: { next: [], campaign: 'Error', inWords: 'ended with an error' },
} as const;
export type JobState = keyof typeof states;
const propertiesOf: Readonly<Record<JobState, StateProperties<JobState>>> = states;

export const jobStates = Object.keys(states) as readonly JobState[];

/** The states that are not final. */
export const liveStates = jobStates.filter((state) => !isFinal(state));
/** The states before the audience and the messages are frozen. */
export const ungeneratedStates = jobStates.filter((state) => propertiesOf[state].isUngenerated);
/** The states that a job leaves without a call. */
export const movingStates = jobStates.filter((state) => propertiesOf[state].isMoving);

/** Whether no other state can follow. */
export function isFinal(state: JobState): boolean {
  return propertiesOf[state].next.length === 0;
}

/** The state of the campaign whose real job is in a state. */
export const campaignStateOf = (state: JobState): ScheduleState => propertiesOf[state].campaign;

/** The states from which `to` can be reached. */
export const statesBefore = (to: JobState): JobState[] =>
  jobStates.filter((from) => propertiesOf[from].next.includes(to));

/** @throws 409 that describes the state and the request */
export function checkJobMove(from: JobState, to: JobState): void {
  if (!propertiesOf[from].next.includes(to))
    throw conflict(`The job is ${propertiesOf[from].inWords}, so it cannot be ${propertiesOf[to].inWords}`);
}

/** Name of the task that freezes a job's audience and messages; its payload is {idSite, idJob}. */
export const generateJobTask = 'generateJob';

/** One run of a campaign: a real one, or a test mailing. */
export interface Job {
  readonly id: number;
  readonly idCampaign: number;
  readonly isTest: boolean;
  /** The only segment of a test mailing; null means all. */
  readonly idSegment: number | null;
  readonly state: JobState;
  readonly author: string;
  readonly campaignName: string;
  readonly scheduledAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly errorInfo: string | null;
  /** Whether audience and messages are frozen. If not, resuming the job generates it. */
  readonly isFrozen: boolean;
  /** The job to whose failed recipients it resends, never itself a resend; null for a job with its own audience. */
  readonly resendOf: number | null;
  /** Whether a resend includes uncertain recipients. */
  readonly resendsUncertain: boolean;
  /** Number of the latest attempt at generating it, from 1. Only that attempt may freeze it. */
  readonly attempt: number;
}
