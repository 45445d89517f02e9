import type { components } from '../api/schema.d.ts';

export type Campaign = components['schemas']['Campaign'];

/** The state of a campaign's schedule. */
export const stateOf = (campaign: Campaign): string => campaign.schedulingInfos.state;

/** Whether its messages are leaving, or will within seconds. */
export const isRunning = (campaign: Campaign): boolean =>
  ['InProgress', 'Paused'].includes(stateOf(campaign)) ||
  (stateOf(campaign) === 'Programmed' && campaign.schedulingInfos.type === 'Immediate');
