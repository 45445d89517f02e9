import { getDomain } from 'tldts';

/** The organizational domain by the Public Suffix List; the name itself where it has none, for example localhost. */
export const organizationOf = (domain: string): string =>
  getDomain(domain, { allowPrivateDomains: true }) ?? domain.toLowerCase();
