import { normaliseDomain } from '../../platform/host-name.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Closed, Line, OneOf, Type } from '../../platform/http/schema.ts';
import { dkimAlgorithms, newDkimKey, SendingDomainSchema } from '../sending-domain.ts';
import { createSendingDomain as storeDomain } from '../sending-domain-store.ts';
import { siteAdministration } from '../site-administration.ts';

export const createSendingDomain = siteAdministration({
  id: 'createSendingDomain',
  method: 'POST',
  path: '/sending-domains',
  summary: 'Add a sending domain with a DKIM key',
  description:
    'Publish the TXT record of the response in the DNS. The private key never leaves the installation. The key also ' +
    'signs for subdomains without a key of their own. A domain may have one key of each algorithm: messages then ' +
    'carry both signatures. Add an RSA key beside every Ed25519 key, which many receivers cannot verify.',
  body: Closed('SendingDomainInput', {
    domain: Line(253),
    algorithm: Type.Optional(OneOf(dkimAlgorithms)),
    selector: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
        examples: ['mail2026'],
        description: 'a DNS label in lower case: 1 to 63 of a-z, 0-9 and -, with no - at either end',
      }),
    ),
  }),
  reply: SendingDomainSchema,
  refusals: [409],
  handle: async ({ db, app, idSite, body }) => {
    const domain = normaliseDomain(body.domain.trim().replace(/\.$/, ''));
    if (!domain) throw invalid('domain must be the name of a domain, such as news.example.org');
    const algorithm = body.algorithm ?? 'rsa-sha256';
    const selector = body.selector ?? (algorithm === 'rsa-sha256' ? 'facteur' : 'facteur-ed25519');
    const privateKey = await newDkimKey(algorithm);
    return storeDomain(db, app.secrets, idSite, { domain, selector, algorithm, privateKey });
  },
});
