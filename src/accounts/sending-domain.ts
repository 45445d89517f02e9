import { createPrivateKey, createPublicKey, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { Closed, Id, Nullable, OneOf, type Static, Type } from '../platform/http/schema.ts';

/** Signature algorithms of DKIM: RFC 6376 and RFC 8463. */
export const dkimAlgorithms = ['rsa-sha256', 'ed25519-sha256'] as const;
export type DkimAlgorithm = (typeof dkimAlgorithms)[number];

export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  readonly algorithm: DkimAlgorithm;
  /** PKCS#8, PEM. */
  readonly privateKey: string;
}

/** A domain as administration shows it, with the DNS record to publish. */
export const SendingDomainSchema = Closed('SendingDomain', {
  id: Id('sendingDomain'),
  domain: Type.String(),
  dkimSelector: Nullable(Type.String()),
  dkimAlgorithm: Nullable(OneOf(dkimAlgorithms)),
  /** Name and text of the TXT record. Text over 255 bytes is split by the DNS server's tools. */
  dnsName: Nullable(Type.String()),
  dnsText: Nullable(Type.String()),
});
export type SendingDomainShown = Static<typeof SendingDomainSchema>;

/** A domain and its parents down to two labels: `a.b.example` and `b.example`. */
export function withParents(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}

/** A new private key (PKCS#8, PEM). RSA has 2,048 bits, the most that fits one DNS text in practice. */
export async function newDkimKey(algorithm: DkimAlgorithm): Promise<string> {
  const { privateKey } =
    algorithm === 'rsa-sha256'
      ? await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
      : await promisify(generateKeyPair)('ed25519');
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The TXT record that lets receivers check the signatures (RFC 6376 section 3.6.1, RFC 8463 section 4.2). */
export function dnsRecordOf(key: DkimKey): { name: string; text: string } {
  const der = createPublicKey(createPrivateKey(key.privateKey)).export({ type: 'spki', format: 'der' });
  // RFC 8463: the bare 32 bytes of the key, which end its SPKI form; RSA is published whole.
  const published = key.algorithm === 'ed25519-sha256' ? der.subarray(-32) : der;
  const kind = key.algorithm === 'ed25519-sha256' ? 'ed25519' : 'rsa';
  return {
    name: `${key.selector}._domainkey.${key.domain}`,
    text: `v=DKIM1; k=${kind}; p=${published.toString('base64')}`,
  };
}
