import { isIP } from 'node:net';
import type { Hit } from './hit.ts';

// ASCII separators, which no header can contain.
const [betweenAgents, afterAgent, betweenHits] = ['\x1d', '\x1c', '\x1e'];
const separators = /[\0\x1c-\x1e]/;

/** Hits as stored in one row of `hit_batch`. */
export interface HitPack {
  readonly size: number;
  readonly hits: string;
}

/** A checked hit, ready for a pack: its user agent and the rest of it. */
export interface PackedHit {
  readonly agent: string;
  readonly fact: string;
}

/**
 * Encodes a hit for a pack. The view `hit_new` must always be able to read it: one unreadable pack would stop the
 * aggregation of the whole site. So values that its columns cannot hold are refused here.
 * @throws TypeError for a hit that no column could hold.
 */
export function packHit(hit: Hit): PackedHit {
  return { agent: checkedAgent(hit.userAgent), fact: pack(hit) };
}

/** Packs hits. Most readers share a few agents, which are the greater part of a hit, so each agent is written once. */
export function joinHits(hits: readonly PackedHit[]): HitPack {
  const byAgent = new Map<string, string>();
  for (const { agent, fact } of hits) {
    const before = byAgent.get(agent);
    byAgent.set(agent, before === undefined ? fact : before + betweenHits + fact);
  }
  let all = '';
  for (const [agent, facts] of byAgent) {
    all += (all === '' ? '' : betweenAgents) + agent + afterAgent + facts;
  }
  return { size: hits.length, hits: all };
}

/** Merges packs into fewer, of at least `size` hits each except the last; in their order. */
export function mergePacks(packs: readonly HitPack[], size: number): HitPack[] {
  const merged: HitPack[] = [];
  let some: HitPack[] = [];
  let gathered = 0;
  for (const pack of packs) {
    some.push(pack);
    gathered += pack.size;
    if (gathered < size && pack !== packs.at(-1)) continue;
    merged.push({ size: gathered, hits: some.map((one) => one.hits).join(betweenAgents) });
    some = [];
    gathered = 0;
  }
  return merged;
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
