import type { components } from '../api/schema.d.ts';

export type Campaign = components['schemas']['Campaign'];

/** The state of a campaign's schedule. */
export const stateOf = (campaign: Campaign): string => campaign.schedulingInfos.state;

/** Whether its messages are leaving, or will within seconds. */
export const isRunning = (campaign: Campaign): boolean =>
  ['InProgress', 'Paused'].includes(stateOf(campaign)) ||
  (stateOf(campaign) === 'Programmed' && campaign.schedulingInfos.type === 'Immediate');

const finalStates = ['Finished', 'FinishedWithErrors', 'Stopped', 'Error'];

/** Whether a job in this state has ended. */
export const isFinalJob = (jobState: string): boolean => finalStates.includes(jobState);

/** The job whose progress a campaign shows. During the delay before it is sent again, its last job is an earlier one. */
export const runningJobOf = <
  Job extends Pick<components['schemas']['JobRecord'], 'jobStateName' | 'nbAddressToSend'>,
>(
  campaign: Campaign,
  job: Job | undefined,
): Job | undefined =>
  isRunning(campaign) &&
  job &&
  job.nbAddressToSend > 0 &&
  // Its audience is still being counted.
  job.jobStateName !== 'Generating' &&
  !isFinalJob(job.jobStateName)
    ? job
    : undefined;

/** The state of a campaign; of a sent one, whether its last job reached everybody. */
export function endStateOf(campaign: Campaign, job: { readonly jobStateName: string } | undefined): string {
  const state = stateOf(campaign);
  const hasErrors = state === 'Finished' && job?.jobStateName === 'FinishedWithErrors';
  return hasErrors ? 'FinishedWithErrors' : state;
}

/** The start that a campaign missed, as the service's reason names it. */
export const missedStartOf = (reason: string): string | undefined =>
  /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(reason)?.[0];

/** Whether it waits for a date of its schedule. */
export const isScheduled = (campaign: Campaign): boolean =>
  stateOf(campaign) === 'Programmed' && campaign.schedulingInfos.type !== 'Immediate';

/** The coming dates of its schedule; of a daily one the next. */
export const datesOf = (campaign: Campaign): string[] =>
  campaign.schedulingInfos.calendarDates.split(';').filter((date) => date !== '');

/** The dates of its schedule that have not started. While it is being sent, the first one has. */
export function waitingDatesOf(campaign: Campaign, now: number): string[] {
  const dates = datesOf(campaign);
  if (isScheduled(campaign)) return dates;
  return isRunning(campaign) ? dates.filter((date) => Date.parse(date) > now) : [];
}
