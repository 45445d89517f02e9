import { isIP } from 'node:net';
import type { Hit } from './hit.ts';

// ASCII's own separators: no header can hold them.
const [betweenAgents, afterAgent, betweenHits] = ['\x1d', '\x1c', '\x1e'];
const separators = /[\0\x1c-\x1e]/;

/**
 * Hits as `hit_batch` keeps them; the view `hit_new` reads it, which must never fail: one batch that it cannot read
 * would keep the whole site from being folded. So what its columns would not take is refused here.
 * @throws TypeError for a hit that no column could hold.
 */
export function packHits(hits: readonly Hit[]): string {
  // Most readers share a few agents, which are the greater part of a hit.
  const byAgent = new Map<string, string>();
  for (const hit of hits) {
    const before = byAgent.get(hit.userAgent);
    const fact = pack(hit);
    byAgent.set(hit.userAgent, before === undefined ? fact : before + betweenHits + fact);
  }
  const groups = [...byAgent].map(([agent, facts]) => checkedAgent(agent) + afterAgent + facts);
  return groups.join(betweenAgents);
}

function pack(hit: Hit): string {
  const { idLink, address } = hit;
  const at = integer(hit.at.getTime(), Number.MAX_SAFE_INTEGER);
  const what = `${integer(hit.kind, maxInt2)} ${integer(hit.class, maxInt2)}`;
  const whose = `${integer(hit.idSent, maxInt4)} ${integer(hit.idSubscriber, maxInt4)}`;
  const how = `${hit.isViral ? 1 : 0} ${integer(hit.rulesVersion, maxInt2)} ${hit.isMobile ? 1 : 0}`;
  const link = idLink === null ? '' : integer(idLink, Number.MAX_SAFE_INTEGER);
  return `${at} ${what} ${whose} ${how} ${link} ${address === null ? '' : ip(address)}`;
}

const maxInt2 = 2 ** 15 - 1;
const maxInt4 = 2 ** 31 - 1;

function integer(value: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= -max && value <= max) return value;
  throw new TypeError(`A hit has ${value} where an integer up to ${max} belongs`);
}

function ip(address: string): string {
  if (isIP(address) !== 0 && !address.includes('%')) return address;
  throw new TypeError(`A hit has ${JSON.stringify(address)} where an IP address belongs`);
}

function checkedAgent(agent: string): string {
  if (!separators.test(agent)) return agent;
  throw new TypeError(`A hit has a user agent with a control character: ${JSON.stringify(agent)}`);
}
