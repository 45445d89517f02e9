import type { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { App } from '../platform/app.ts';
import { dnsResolver, recordsOf } from '../platform/dns.ts';
import { normaliseDomain } from '../platform/host-name.ts';
import { organizationOf } from '../platform/organization.ts';
import {
  checkDkim,
  checkDmarc,
  checkMx,
  type DomainCheck,
  type DomainRecord,
  type Exchange,
  verdict,
  type Wanted,
} from './domain-check.ts';
import { relaysOf } from './route-store.ts';
import type { SendingDomainShown } from './sending-domain.ts';
import { isSpf, readSpf, type SpfDns, type SpfPolicy } from './spf.ts';

/** Maximum time of a whole check in milliseconds. */
const limitMs = 6_000;
const patience = { timeout: 1_500, tries: 2 };
/** Maximum number of look-ups of a check. A record of hostile includes needs about 220 of them. */
const maxQueries = 150;
const maxRelays = 20;
/** Addresses of documentation: no record has a reason to name one, so it passes only where all addresses do. */
const anybody = ['203.0.113.77', '2001:db8:77::77'];

/** A host of a relay, with the addresses that it is reached at; undefined if DNS does not respond. */
interface RelayHost {
  readonly host: string;
  readonly addresses: readonly string[] | undefined;
}

interface Checked {
  readonly domain: string;
  /** The keys that the site has for the domain. */
  readonly keys: readonly SendingDomainShown[];
  readonly idSite: number;
  /** The SPF name of a relay, which the record must include; undefined: it must name the relays. */
  readonly include: string | undefined;
}

/** Compares the records that a domain needs with those in the DNS, within six seconds. */
export async function checkDomain(
  app: App,
  { domain, keys, idSite, include }: Checked,
): Promise<DomainCheck> {
  const dns = new BoundedDns(dnsResolver(app.config, patience));
  const host = new URL(app.publicUrl).hostname;
  const hosts = [...new Set((await relaysOf(app, idSite)).map((route) => route.host.toLowerCase()))];
  const timer = setTimeout(() => dns.end(), limitMs);
  try {
    const records = await Promise.all([
      ...keys.map(async (key) => checkDkim(key, await dns.texts(key.dnsName ?? ''))),
      spfOf(dns, { host, relays: hosts.slice(0, maxRelays), include }),
      mxOf(dns, host),
      dmarcOf(dns, domain),
    ]);
    return { domain, records };
  } finally {
    clearTimeout(timer);
    dns.end();
  }
}

/** Look-ups of one check, bounded in number and time. */
class BoundedDns implements SpfDns {
  readonly #resolver: Resolver;
  #left = maxQueries;

  constructor(resolver: Resolver) {
    this.#resolver = resolver;
  }

  /** Ends the look-ups that run, without a response; later ones have none either. */
  end(): void {
    this.#left = 0;
    this.#resolver.cancel();
  }

  async texts(name: string): Promise<readonly string[] | undefined> {
    const texts = await this.#ask((resolver) => resolver.resolveTxt(name));
    return texts?.map((pieces) => pieces.join(''));
  }

  async servers(name: string): Promise<readonly Exchange[] | undefined> {
    return this.#ask((resolver) => resolver.resolveMx(name));
  }

  async exchanges(name: string): Promise<readonly string[] | undefined> {
    return (await this.servers(name))?.map(({ exchange }) => exchange);
  }

  async addresses(name: string): Promise<readonly string[] | undefined> {
    if (isIP(name) !== 0) return [name];
    const [four, six] = await Promise.all([
      this.#ask((resolver) => resolver.resolve4(name)),
      this.#ask((resolver) => resolver.resolve6(name)),
    ]);
    return four === undefined || six === undefined ? undefined : [...four, ...six];
  }

  async #ask<T>(lookUp: (resolver: Resolver) => Promise<T[]>): Promise<readonly T[] | undefined> {
    if (this.#left <= 0) return undefined;
    this.#left--;
    return recordsOf(lookUp(this.#resolver));
  }
}

interface SpfQuestion {
  readonly host: string;
  readonly relays: readonly string[];
  readonly include: string | undefined;
}

async function spfOf(dns: BoundedDns, { host, relays, include }: SpfQuestion): Promise<DomainRecord> {
  const wanted = { kind: 'SPF', name: host, type: 'TXT', value: spfToPublish(relays, include) } as const;
  if (normaliseDomain(host) === undefined) return verdict(wanted, [], 'noPublicName', [host]);
  const [texts, hosts] = await Promise.all([
    dns.texts(host),
    Promise.all(relays.map(async (relay) => ({ host: relay, addresses: await dns.addresses(relay) }))),
  ]);
  if (texts === undefined) return verdict(wanted, [], 'noAnswer');
  const found = texts.filter(isSpf);
  if (found.length !== 1) return verdict(wanted, found, found.length === 0 ? 'notFound' : 'several');
  const policy = await readSpf(host, found[0]!, dns);
  if ('problem' in policy) return verdict(wanted, found, policy.problem.reason, [policy.problem.at]);
  return judged(wanted, found, policy, hosts, include);
}

/** The record to publish. A relay that sends from another address than its own needs the SPF name of its operator. */
function spfToPublish(relays: readonly string[], include: string | undefined): string | null {
  if (include !== undefined) return `v=spf1 include:${include} -all`;
  if (relays.length === 0) return null;
  const terms = relays.map((relay) => {
    const version = isIP(relay);
    return version === 0 ? `a:${relay}` : `ip${version}:${relay}`;
  });
  return `v=spf1 ${terms.join(' ')} -all`;
}

function judged(
  wanted: Wanted,
  found: readonly string[],
  policy: SpfPolicy,
  relays: readonly RelayHost[],
  include: string | undefined,
): DomainRecord {
  if (anybody.every((ip) => policy.judge(ip) === 'pass')) return verdict(wanted, found, 'allowsAll');
  if (include !== undefined)
    return policy.includes.includes(include)
      ? verdict(wanted, found, 'published')
      : verdict(wanted, found, 'notIncluded', [include]);
  if (relays.length === 0) return verdict(wanted, found, 'noRelay');
  const isNamed = ({ addresses = [] }: RelayHost) =>
    addresses.length > 0 && addresses.every((ip) => policy.judge(ip) === 'pass');
  const unnamed = relays.filter((relay) => !isNamed(relay)).map(({ host }) => host);
  return unnamed.length === 0
    ? verdict(wanted, found, 'published')
    : verdict(wanted, found, 'notNamed', unnamed);
}

async function mxOf(dns: BoundedDns, host: string): Promise<DomainRecord> {
  if (normaliseDomain(host) === undefined)
    return verdict({ kind: 'MX', name: host, type: 'MX', value: `10 ${host}.` }, [], 'noPublicName', [host]);
  const servers = await dns.servers(host);
  const addresses = servers?.length === 0 ? await dns.addresses(host) : [];
  return checkMx(host, servers, addresses && addresses.length > 0);
}

async function dmarcOf(dns: BoundedDns, domain: string): Promise<DomainRecord> {
  const organization = organizationOf(domain);
  const [own, texts] = await Promise.all([
    dns.texts(`_dmarc.${domain}`),
    organization === domain ? undefined : dns.texts(`_dmarc.${organization}`),
  ]);
  return checkDmarc(domain, {
    own,
    ...(organization !== domain && { parent: { domain: organization, texts } }),
  });
}
