import { Closed, Nullable, OneOf, type Static, Type } from '../platform/http/schema.ts';
import type { SendingDomainShown } from './sending-domain.ts';

/**
 * right: receivers find what they need. several: more than one record, of which receivers use none. unknown: whether it
 * is right depends on something that the DNS does not show. unreachable: DNS does not respond.
 */
export const recordStates = ['right', 'missing', 'different', 'several', 'unknown', 'unreachable'] as const;
export type RecordState = (typeof recordStates)[number];

/** Reasons of a state, each with its state and with what to do; `names` are the names that it is about. */
const reasons = {
  published: { state: 'right', advice: () => 'Nothing to do' },
  ofParent: { state: 'right', advice: (names) => `Nothing to do: the policy of ${names} applies` },
  notFound: { state: 'missing', advice: () => 'Publish the record' },
  noPublicName: {
    state: 'missing',
    advice: (names) =>
      `The public address ${names} is not a domain name; set FACTEUR_PUBLIC_URL to one, then publish the record`,
  },
  implied: {
    state: 'missing',
    advice: (names) => `Publish the record; until then, bounces come to the address of ${names} itself`,
  },
  several: { state: 'several', advice: () => 'Remove all records but one: receivers use none of several' },
  malformed: {
    state: 'different',
    advice: (names) => `Correct the record of ${names}: receivers cannot read it`,
  },
  otherKey: { state: 'different', advice: () => 'Replace the record: it holds another key' },
  revoked: { state: 'different', advice: () => 'Replace the record: its empty key revokes the signatures' },
  limited: {
    state: 'different',
    advice: () => 'Replace the record: it excludes email, or the signature’s hash algorithm',
  },
  tooManyLookups: {
    state: 'different',
    advice: (names) =>
      `Shorten the record: with that of ${names}, it costs more than the 10 look-ups that receivers make`,
  },
  allowsAll: {
    state: 'different',
    advice: () => 'Replace +all at the end by -all: the record lets every server send',
  },
  notIncluded: {
    state: 'different',
    advice: (names) => `Add include:${names} to the record, before terms that reject its addresses`,
  },
  refusesMail: {
    state: 'different',
    advice: () => 'Replace the record: it refuses all mail, so bounces are lost',
  },
  noRelay: {
    state: 'unknown',
    advice: () => 'Add a relay to the site: without one, nobody receives messages that SPF is checked for',
  },
  notNamed: {
    state: 'unknown',
    advice: (names) =>
      `The record does not name the address of ${names}; ask its operator for the SPF name, ` +
      'and check again with it as `include`',
  },
  elsewhere: {
    state: 'unknown',
    advice: (names) => `Check that ${names} passes mail for this host on to Facteur`,
  },
  noAnswer: { state: 'unreachable', advice: () => 'Check again later: DNS does not respond' },
} as const satisfies Readonly<Record<string, { readonly state: RecordState; advice(names: string): string }>>;
type Reason = keyof typeof reasons;

export const DomainRecordSchema = Closed('DomainRecord', {
  kind: OneOf(
    ['DKIM', 'SPF', 'MX', 'DMARC'],
    'DKIM and DMARC are of the domain, SPF and MX of the return path, which is the host of the public address',
  ),
  name: Type.String({ description: 'The name of the record' }),
  type: OneOf(['TXT', 'MX']),
  value: Nullable(
    Type.String({ description: 'The value to publish; null if it depends on a relay, and there is none' }),
  ),
  found: Type.Array(Type.String(), {
    description: 'The records of this kind in the DNS: at most 10, of at most 1,000 characters each',
  }),
  state: OneOf(
    recordStates,
    'right: receivers find what they need; several: more than one record, of which receivers use none; unknown: it ' +
      'depends on something that the DNS does not show; unreachable: DNS does not respond',
  ),
  reason: OneOf(Object.keys(reasons) as [Reason, ...Reason[]], 'The reason of the state, for programs'),
  names: Type.Array(Type.String(), { description: 'The names that the reason is about' }),
  advice: Type.String({ description: 'What to do, in one sentence' }),
});
export type DomainRecord = Static<typeof DomainRecordSchema>;

export const DomainCheckSchema = Closed('SendingDomainCheck', {
  domain: Type.String(),
  records: Type.Array(DomainRecordSchema),
});
export type DomainCheck = Static<typeof DomainCheckSchema>;

/** The place and the value of a record to publish. */
export type Wanted = Pick<DomainRecord, 'kind' | 'name' | 'type' | 'value'>;

const maxFound = 10;
const maxFoundLength = 1000;

/** The verdict on a record. @param names the names that the reason is about */
export function verdict(
  wanted: Wanted,
  found: readonly string[],
  reason: Reason,
  names: readonly string[] = [],
): DomainRecord {
  const shown = found.slice(0, maxFound).map(shownText);
  const about = names.slice(0, maxFound).map(shownText);
  const { state, advice } = reasons[reason];
  return { ...wanted, found: shown, state, reason, names: about, advice: advice(about.join(', ')) };
}

/** A text of the DNS, which others may have written: bounded, and without control characters. */
const shownText = (text: string): string => text.slice(0, maxFoundLength).replace(/[\x00-\x1f\x7f]/g, ' ');

/** The tags of a DKIM or DMARC record; names in lower case, values without the spaces around them. */
function tagsOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(';').map((tag) => {
      const at = tag.indexOf('=');
      return at < 0 ? [tag.trim(), ''] : [tag.slice(0, at).trim().toLowerCase(), tag.slice(at + 1).trim()];
    }),
  );
}

/** The record of a domain's key. @param texts undefined if DNS does not respond */
export function checkDkim(key: SendingDomainShown, texts: readonly string[] | undefined): DomainRecord {
  const wanted = { kind: 'DKIM', name: key.dnsName ?? '', type: 'TXT', value: key.dnsText } as const;
  if (texts === undefined) return verdict(wanted, [], 'noAnswer');
  if (texts.length === 0) return verdict(wanted, [], 'notFound');
  if (texts.length > 1) return verdict(wanted, texts, 'several');
  const tags = tagsOf(texts[0]!);
  const own = tagsOf(key.dnsText ?? '');
  const published = tags.get('p')?.replace(/\s/g, '');
  if (published === undefined || (tags.get('v') ?? 'DKIM1') !== 'DKIM1')
    return verdict(wanted, texts, 'malformed', [wanted.name]);
  if (published === '') return verdict(wanted, texts, 'revoked');
  if (published !== own.get('p') || (tags.get('k') ?? 'rsa') !== own.get('k'))
    return verdict(wanted, texts, 'otherKey');
  const isFor = (tag: string, accepted: readonly string[]) =>
    !tags.has(tag) ||
    tags
      .get(tag)!
      .split(':')
      .some((one) => accepted.includes(one.trim().toLowerCase()));
  if (!isFor('h', ['sha256']) || !isFor('s', ['*', 'email'])) return verdict(wanted, texts, 'limited');
  return verdict(wanted, texts, 'published');
}

const isDmarc = (text: string): boolean => /^v\s*=\s*DMARC1\s*(?:;|$)/i.test(text);

/** The texts of `_dmarc` at a domain and, if that is another one, at its organization; undefined: no response. */
export interface DmarcTexts {
  readonly own: readonly string[] | undefined;
  readonly parent?: { readonly domain: string; readonly texts: readonly string[] | undefined } | undefined;
}

/** The policy of a domain; without one of its own, receivers use that of its organization. */
export function checkDmarc(domain: string, { own, parent }: DmarcTexts): DomainRecord {
  const wanted = { kind: 'DMARC', name: `_dmarc.${domain}`, type: 'TXT', value: 'v=DMARC1; p=none' } as const;
  const policies = own?.filter(isDmarc);
  if (policies === undefined) return verdict(wanted, [], 'noAnswer');
  if (policies.length > 0) return verdict(wanted, policies, dmarcReason(policies), [wanted.name]);
  if (parent === undefined) return verdict(wanted, [], 'notFound');
  const inherited = parent.texts?.filter(isDmarc);
  if (inherited === undefined) return verdict(wanted, [], 'noAnswer');
  if (inherited.length === 0) return verdict(wanted, [], 'notFound');
  const reason = dmarcReason(inherited);
  return reason === 'published'
    ? verdict(wanted, inherited, 'ofParent', [parent.domain])
    : verdict(wanted, inherited, reason, [`_dmarc.${parent.domain}`]);
}

function dmarcReason(policies: readonly string[]): 'several' | 'malformed' | 'published' {
  if (policies.length > 1) return 'several';
  const policy = tagsOf(policies[0]!).get('p')?.toLowerCase() ?? '';
  return ['none', 'quarantine', 'reject'].includes(policy) ? 'published' : 'malformed';
}

export interface Exchange {
  readonly priority: number;
  readonly exchange: string;
}

/** The mail server of the return path. @param hasAddress whether mail without an MX comes to the host itself */
export function checkMx(
  host: string,
  exchanges: readonly Exchange[] | undefined,
  hasAddress: boolean | undefined,
): DomainRecord {
  const wanted = { kind: 'MX', name: host, type: 'MX', value: `10 ${host}.` } as const;
  if (exchanges === undefined) return verdict(wanted, [], 'noAnswer');
  if (exchanges.length === 0) {
    if (hasAddress === undefined) return verdict(wanted, [], 'noAnswer');
    return hasAddress ? verdict(wanted, [], 'implied', [host]) : verdict(wanted, [], 'notFound');
  }
  const sorted = exchanges
    .map(({ priority, exchange }) => ({ priority, name: exchange.toLowerCase().replace(/\.$/, '') }))
    .sort((a, b) => a.priority - b.priority);
  const found = sorted.map(({ priority, name }) => `${priority} ${name}.`);
  const preferred = sorted.filter(({ priority }) => priority === sorted[0]!.priority);
  if (preferred.some(({ name }) => name === host)) return verdict(wanted, found, 'published');
  if (preferred.every(({ name }) => name === '')) return verdict(wanted, found, 'refusesMail');
  return verdict(wanted, found, 'elsewhere', [...new Set(preferred.map(({ name }) => name))]);
}
