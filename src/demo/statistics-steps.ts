import type { ApiClient } from './api-client.ts';
import type { Terminal } from './terminal.ts';

/** What the demo did, in the words of the campaign statistics. */
export interface Expected {
  readonly nbAddressToSend: number;
  readonly nbAddressSent: number;
  readonly nbOpeners: number;
  readonly nbHumanOpeners: number;
  readonly nbOpenings: number;
  readonly nbClickers: number;
  readonly nbClicks: number;
  readonly nbUnsubs: number;
  readonly nbHardBounces: number;
}

/** Prints each figure beside what was done; the names of those that differ. */
export async function compareStatistics(
  site: ApiClient,
  idCampaign: number,
  expected: Expected,
  out: Terminal,
): Promise<string[]> {
  const counted = await site.get<Record<keyof Expected, number>>('/statistics/campaign', { idCampaign });
  const differing: string[] = [];
  for (const [name, value] of Object.entries(expected) as [keyof Expected, number][]) {
    const same = counted[name] === value;
    if (!same) differing.push(name);
    const figures = `${String(counted[name]).padStart(7)}   done ${String(value).padStart(7)}`;
    out.say(`${name.padEnd(16)} ${figures}   ${same ? 'agrees' : 'DIFFERS'}`);
  }
  return differing;
}
