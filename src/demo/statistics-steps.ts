import { setTimeout } from 'node:timers/promises';
import type { ApiClient } from './api-client.ts';
import { compareFigures, differing } from './figures.ts';
import type { Terminal } from './terminal.ts';

/** Acts of the demo, in the names of the campaign statistics. */
export interface Expected {
  readonly nbAddressToSend: number;
  readonly nbAddressSent: number;
  readonly nbOpeners: number;
  readonly nbHumanOpeners: number;
  readonly nbOpenings: number;
  readonly nbClickers: number;
  readonly nbClicks: number;
  readonly nbViralClicks: number;
  readonly nbGodsons: number;
  readonly nbUnsubs: number;
  readonly nbHardBounces: number;
}

const countedWithinMs = 10_000;
const pollMs = 100;

/** Prints each figure beside what was done, once all agree or time is up; the names of those that differ. */
export async function compareStatistics(
  site: ApiClient,
  idCampaign: number,
  expected: Expected,
  out: Terminal,
): Promise<string[]> {
  const read = () => site.get<Expected>('/statistics/campaign', { idCampaign });
  let counted = await read();
  for (let left = countedWithinMs; left > 0 && differing(counted, expected).length > 0; left -= pollMs) {
    await setTimeout(pollMs);
    counted = await read();
  }
  return compareFigures(counted, expected, out);
}
