import { isIP } from 'node:net';
import { blockListOf, type Network, parseNetworks } from '../platform/network.ts';

/** The look-ups by which an SPF record is read. Each returns undefined if DNS does not respond. */
export interface SpfDns {
  texts(name: string): Promise<readonly string[] | undefined>;
  addresses(name: string): Promise<readonly string[] | undefined>;
  exchanges(name: string): Promise<readonly string[] | undefined>;
}

/** A reason why receivers cannot use a record, and the name at which it was found. */
export interface SpfProblem {
  readonly reason: 'malformed' | 'tooManyLookups' | 'noAnswer';
  readonly at: string;
}

/** An SPF record with everything that it includes. */
export interface SpfPolicy {
  /** Names that the record includes or redirects to, in lower case, without those whose addresses it rejects. */
  readonly includes: readonly string[];
  /** The verdict on an address; unknown when it depends on the message, for example on the sender's address. */
  judge(ip: string): SpfVerdict;
}
export type SpfVerdict = 'pass' | 'fail' | 'unknown';

/** Maximum number of terms that cost a look-up (RFC 7208, 4.6.4); it also ends records that include themselves. */
const maxLookups = 10;
/** Maximum number of mail servers of one `mx`, by the same section. */
const maxExchanges = 10;
/** Maximum number of terms of a record that are read: the longest real ones have about a hundred. */
const maxTerms = 500;
/** Maximum number of addresses by which an included record is judged. */
const maxSamples = 20;

export const isSpf = (text: string): boolean => /^v=spf1(?: |$)/i.test(text);

/** One term, with what it means for an address. */
interface Rule {
  readonly passes: boolean;
  /** Whether the term is about the address; undefined if that is unknown. */
  matches(ip: string): boolean | undefined;
  /** Some of the addresses that the term is about; undefined if they are unknown or all addresses. */
  readonly samples: readonly string[] | undefined;
}

class SpfFailure extends Error {
  readonly problem: SpfProblem;
  constructor(problem: SpfProblem) {
    super(problem.reason);
    this.problem = problem;
  }
}

/** Reads an SPF record, and those that it includes, as receivers do (RFC 7208). */
export async function readSpf(
  name: string,
  text: string,
  dns: SpfDns,
): Promise<SpfPolicy | { readonly problem: SpfProblem }> {
  const reader = new SpfReader(dns);
  try {
    const rules = await reader.rulesOf(name, text);
    const includes = reader.includes.filter((one) => !isRejected(one.rules, rules)).map((one) => one.name);
    return { includes, judge: (ip) => judge(rules, ip) };
  } catch (error) {
    if (error instanceof SpfFailure) return { problem: error.problem };
    throw error;
  }
}

/** The first term that is about the address decides; none is as good as a refusal. */
function judge(rules: readonly Rule[], ip: string): SpfVerdict {
  for (const rule of rules) {
    const isAbout = rule.matches(ip);
    if (isAbout === undefined) return 'unknown';
    if (isAbout) return rule.passes ? 'pass' : 'fail';
  }
  return 'fail';
}

/** Some of the addresses that rules let pass; undefined if they are unknown or all addresses. */
function samplesOf(rules: readonly Rule[]): readonly string[] | undefined {
  const passing = rules.filter(({ passes }) => passes).map(({ samples }) => samples);
  const known = passing.filter((samples) => samples !== undefined);
  return known.length < passing.length ? undefined : known.flat().slice(0, maxSamples);
}

/** Whether a record rejects all that an included record lets pass, for example by a term before the include. */
const isRejected = (included: readonly Rule[], rules: readonly Rule[]): boolean =>
  samplesOf(included)?.every((ip) => judge(rules, ip) === 'fail') ?? false;

const about = (networks: readonly Network[]): Pick<Rule, 'matches' | 'samples'> => {
  return { matches: inNetworks(networks), samples: networks.map(({ address }) => address) };
};

const inNetworks = (networks: readonly Network[]) => {
  const list = blockListOf(networks);
  return (ip: string) => list.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4');
};

/** The result of a term that depends on each message. */
const unknown = { matches: () => undefined, samples: undefined };

const mechanisms = ['all', 'include', 'a', 'mx', 'ptr', 'ip4', 'ip6', 'exists'] as const;
const modifier = /^([a-z][a-z0-9._-]*)=(.*)$/i;

/** A record that another one includes, by a term that passes. */
interface Included {
  readonly name: string;
  readonly rules: readonly Rule[];
}

class SpfReader {
  readonly includes: Included[] = [];
  readonly #dns: SpfDns;
  #lookups = 0;

  constructor(dns: SpfDns) {
    this.#dns = dns;
  }

  /** @param isPassing whether all terms that lead to this record pass */
  async rulesOf(name: string, text: string, isPassing = true): Promise<Rule[]> {
    const terms = text.split(/ +/).slice(1).filter(Boolean);
    if (terms.length > maxTerms) throw new SpfFailure({ reason: 'malformed', at: name });
    const rules: Rule[] = [];
    let redirect: string | undefined;
    let hasAll = false;
    for (const term of terms) {
      const given = modifier.exec(term);
      if (given) {
        if (given[1]!.toLowerCase() === 'redirect') redirect = given[2]!;
        continue;
      }
      rules.push(await this.#ruleOf(name, term, isPassing));
      // Receivers read nothing after it.
      hasAll = /^[+?~-]?all$/i.test(term);
      if (hasAll) break;
    }
    if (redirect !== undefined && !hasAll) rules.push(...(await this.#redirected(name, redirect, isPassing)));
    return rules;
  }

  async #ruleOf(name: string, term: string, isPassing: boolean): Promise<Rule> {
    const { passes, kind, domain, lengths, range } = this.#termOf(name, term);
    if (kind === 'all') return { passes, matches: () => true, samples: undefined };
    if (kind === 'ip4' || kind === 'ip6') return { passes, ...about([this.#network(name, kind, range)]) };
    this.#count(name);
    if (kind === 'include') return { passes, ...(await this.#included(name, domain, isPassing && passes)) };
    // `exists`, `ptr` and macros depend on each message.
    if (kind === 'exists' || kind === 'ptr' || domain?.includes('%')) return { passes, ...unknown };
    const hosts = kind === 'a' ? [domain ?? name] : await this.#exchanges(name, domain ?? name);
    return { passes, ...about(await this.#networksOf(name, hosts, lengths)) };
  }

  /** Takes a mechanism apart: `~include:example.org`, `a:example.org/24//64`, `ip4:192.0.2.0/24`. */
  #termOf(name: string, term: string) {
    const head = /^([+?~-]?)([a-z0-9]+)(?=[:/]|$)/i.exec(term);
    const kind = mechanisms.find((one) => one === head?.[2]?.toLowerCase());
    const rest = term.slice(head?.[0].length ?? 0);
    const lengths = /(?:\/\d{1,2})?(?:\/\/\d{1,3})?$/.exec(rest)![0];
    const range = rest.slice(1);
    const target = rest.slice(0, rest.length - lengths.length);
    if (kind === undefined || target === ':' || (target !== '' && !target.startsWith(':')))
      throw new SpfFailure({ reason: 'malformed', at: name });
    const domain = target === '' ? undefined : target.slice(1);
    return { passes: head?.[1] === '' || head?.[1] === '+', kind, domain, lengths, range };
  }

  async #included(
    name: string,
    target: string | undefined,
    isPassing: boolean,
  ): Promise<Omit<Rule, 'passes'>> {
    if (target === undefined) throw new SpfFailure({ reason: 'malformed', at: name });
    if (target.includes('%')) return unknown;
    const rules = await this.#record(target, isPassing);
    const matches = (ip: string) => {
      const verdict = judge(rules, ip);
      return verdict === 'unknown' ? undefined : verdict === 'pass';
    };
    return { matches, samples: samplesOf(rules) };
  }

  async #redirected(name: string, target: string, isPassing: boolean): Promise<Rule[]> {
    this.#count(name);
    if (target.includes('%')) return [{ passes: true, ...unknown }];
    return this.#record(target, isPassing);
  }

  /** The rules of the record of another name, which must have exactly one. */
  async #record(target: string, isPassing: boolean): Promise<Rule[]> {
    const name = target.toLowerCase().replace(/\.$/, '');
    const texts = this.#answered(name, await this.#dns.texts(name)).filter(isSpf);
    if (texts.length !== 1) throw new SpfFailure({ reason: 'malformed', at: name });
    const rules: Rule[] = [];
    // Before those that it includes itself.
    if (isPassing) this.includes.push({ name, rules });
    rules.push(...(await this.rulesOf(name, texts[0]!, isPassing)));
    return rules;
  }

  async #exchanges(name: string, domain: string): Promise<readonly string[]> {
    const exchanges = this.#answered(domain, await this.#dns.exchanges(domain));
    if (exchanges.length > maxExchanges) throw new SpfFailure({ reason: 'tooManyLookups', at: name });
    return exchanges;
  }

  async #networksOf(name: string, hosts: readonly string[], lengths: string): Promise<Network[]> {
    const [, four = '32', six = '128'] = /^(?:\/(\d+))?(?:\/\/(\d+))?$/.exec(lengths) ?? [];
    const found = await Promise.all(hosts.map((host) => this.#dns.addresses(host)));
    return hosts.flatMap((host, i) =>
      this.#answered(host, found[i]).map((ip) => ({
        address: ip,
        prefix: this.#within(name, isIP(ip) === 6 ? six : four, isIP(ip) === 6 ? 128 : 32),
        family: isIP(ip) === 6 ? ('ipv6' as const) : ('ipv4' as const),
      })),
    );
  }

  #network(name: string, kind: 'ip4' | 'ip6', range: string): Network {
    try {
      const [network, ...others] = parseNetworks(range);
      if (network?.family === `ipv${kind.slice(2)}` && others.length === 0) return network;
    } catch {
      // Not a range of addresses.
    }
    throw new SpfFailure({ reason: 'malformed', at: name });
  }

  #within(name: string, length: string, most: number): number {
    if (Number(length) > most) throw new SpfFailure({ reason: 'malformed', at: name });
    return Number(length);
  }

  #answered<T>(at: string, records: readonly T[] | undefined): readonly T[] {
    if (records === undefined) throw new SpfFailure({ reason: 'noAnswer', at });
    return records;
  }

  #count(at: string): void {
    this.#lookups++;
    if (this.#lookups > maxLookups) throw new SpfFailure({ reason: 'tooManyLookups', at });
  }
}
