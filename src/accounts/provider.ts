import { normaliseDomain } from '../platform/host-name.ts';
import { invalid } from '../platform/http/refusal.ts';
import { Closed, Count, Line, ReadOnly, type Static, Type } from '../platform/http/schema.ts';

/** A mailbox provider and the email domains that are its own. */
export const ProviderSchema = Closed('Provider', {
  id: Type.Integer({ minimum: 1 }),
  name: Type.String(),
  /** Limits of the hand-over; 0 means none. */
  maxConnections: Count(),
  messagesPerHour: Count(),
  domains: Type.Array(Type.String()),
  mxSuffixes: Type.Array(
    Type.String({ description: 'Domains whose mail servers end so are the provider’s, too' }),
  ),
});
export type Provider = Static<typeof ProviderSchema>;

/** The properties of a new provider. Omitted limits mean no limit. */
export const ProviderInputSchema = Closed('ProviderInput', {
  name: Line(100),
  maxConnections: Type.Optional(Count()),
  messagesPerHour: Type.Optional(Count()),
  domains: Type.Array(Line(253), { maxItems: 1_000 }),
  mxSuffixes: Type.Optional(
    Type.Array(Line(253), {
      maxItems: 100,
      description: 'The ends of the names of its mail servers (MX), for example google.com. Default: none',
    }),
  ),
  id: ReadOnly(),
});
type ProviderInput = Static<typeof ProviderInputSchema>;

/** Normalises a provider: domains in lower case and ASCII, sorted, each once. @throws 400 naming what is invalid */
export function providerOf(input: ProviderInput): Omit<Provider, 'id'> {
  const domains = domainsOf('domains', input.domains);
  const mxSuffixes = domainsOf('mxSuffixes', input.mxSuffixes ?? []);
  const { maxConnections = 0, messagesPerHour = 0 } = input;
  const name = input.name.trim();
  if (name === '') throw invalid('name must not be empty');
  return { name, maxConnections, messagesPerHour, domains, mxSuffixes };
}

function domainsOf(member: string, texts: readonly string[]): string[] {
  const domains = texts.map((text, position) => {
    const domain = normaliseDomain(text.trim().replace(/\.$/, ''));
    if (!domain) throw invalid(`${member}/${position} must be the name of a domain, such as example.org`);
    return domain;
  });
  return [...new Set(domains)].sort();
}
