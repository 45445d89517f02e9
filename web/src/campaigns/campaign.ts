import type { components } from '../api/schema.d.ts';

export type Campaign = components['schemas']['Campaign'];

/** The state of a campaign's schedule. */
export const stateOf = (campaign: Campaign): string => campaign.schedulingInfos.state;

/** Whether its messages are leaving, or will within seconds. */
export const isRunning = (campaign: Campaign): boolean =>
  ['InProgress', 'Paused'].includes(stateOf(campaign)) ||
  (stateOf(campaign) === 'Programmed' && campaign.schedulingInfos.type === 'Immediate');

/** Whether it waits for a date of its schedule. */
export const isScheduled = (campaign: Campaign): boolean =>
  stateOf(campaign) === 'Programmed' && campaign.schedulingInfos.type !== 'Immediate';

/** The coming dates of its schedule; of a daily one the next. */
export const datesOf = (campaign: Campaign): string[] =>
  campaign.schedulingInfos.calendarDates.split(';').filter((date) => date !== '');
