import { setTimeout } from 'node:timers/promises';
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

/** What was answered just now is counted a moment later. */
const countedWithinMs = 10_000;
const pollMs = 100;

/** Prints each figure beside what was done, once all agree or time is up; the names of those that differ. */
export async function compareStatistics(
  site: ApiClient,
  idCampaign: number,
  expected: Expected,
  out: Terminal,
): Promise<string[]> {
  const names = Object.keys(expected) as (keyof Expected)[];
  const read = () => site.get<Record<keyof Expected, number>>('/statistics/campaign', { idCampaign });
  const differing = (counted: Expected) => names.filter((name) => counted[name] !== expected[name]);
  let counted = await read();
  for (let left = countedWithinMs; left > 0 && differing(counted).length > 0; left -= pollMs) {
    await setTimeout(pollMs);
    counted = await read();
  }
  for (const name of names) {
    const value = expected[name];
    const same = counted[name] === value;
    const figures = `${String(counted[name]).padStart(7)}   done ${String(value).padStart(7)}`;
    out.say(`${name.padEnd(16)} ${figures}   ${same ? 'agrees' : 'DIFFERS'}`);
  }
  return differing(counted);
}
