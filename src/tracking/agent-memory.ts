import { classifyHit, type HitClass, isMobileAgent } from '../activity/hit-class.ts';

/** User agents that are remembered; most readers share a few hundred. */
const maxAgents = 5_000;

export interface Agent {
  readonly class: HitClass;
  readonly isMobile: boolean;
}

/** What user agents were found to be: the rules take 2 µs of the 40 that a hit takes in all. */
export class AgentMemory {
  readonly #known = new Map<string, Agent>();

  find(method: string, userAgent: string): Agent {
    const key = `${method} ${userAgent}`;
    const known = this.#known.get(key);
    if (known) return known;
    const agent = { class: classifyHit(method, userAgent), isMobile: isMobileAgent(userAgent) };
    if (this.#known.size >= maxAgents) this.#known.clear();
    this.#known.set(key, agent);
    return agent;
  }
}
