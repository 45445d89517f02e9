import type { Database } from '../../platform/db/database.ts';
import { normaliseHost } from '../../platform/host-name.ts';
import { found, invalid } from '../../platform/http/refusal.ts';
import { Id, Line, Query, Type } from '../../platform/http/schema.ts';
import { remembered } from '../../platform/remembered.ts';
import { Semaphore } from '../../platform/semaphore.ts';
import { checkDomain } from '../check-domain.ts';
import { DomainCheckSchema } from '../domain-check.ts';
import { listSendingDomains } from '../sending-domain-store.ts';
import { siteAdministration } from '../site-administration.ts';

/** Maximum number of checks of one site that wait for others. */
export const checksWaiting = 40;
/** Each check asks other people's DNS servers; several may wait, as many as a site has domains. */
const checksOf = remembered(
  (_control: Database) =>
    new Semaphore('checks of domains', { permits: 8, perOwner: 4, waiting: checksWaiting }),
);

export const checkSendingDomain = siteAdministration({
  id: 'checkSendingDomain',
  method: 'GET',
  path: '/sending-domains/{idSendingDomain}/dns',
  summary: "Check a sending domain's DNS records",
  description:
    'Compares the records that the domain needs with those in the DNS now: DKIM for each of its keys, DMARC, and SPF ' +
    'and MX of the return path. The response takes six seconds at most; a record that DNS does not return until then ' +
    'is `unreachable`. SPF is `right` if the record names the addresses of all relays of the site, or includes the ' +
    'name given as `include`. Whether a relay sends from other addresses than its own is not in the DNS: such a ' +
    'record is `unknown` without `include`.',
  params: { idSendingDomain: Id('sendingDomain') },
  query: Query({
    include: Type.Optional(
      Line(1012, 'The SPF name of the relay, as its operator gives it: spf.example.com. Empty: none'),
    ),
  }),
  reply: DomainCheckSchema,
  handle: async ({ db, app, idSite, params, query: { include: given = '' }, signal }) => {
    const include = given.trim() === '' ? undefined : normaliseHost(given);
    if (include === undefined && given.trim() !== '')
      throw invalid('include: must be the name of an SPF record, for example spf.example.com');
    const all = await listSendingDomains(db, app.secrets, idSite);
    const { domain } = found(
      all.find(({ id }) => id === params.idSendingDomain),
      'Sending domain',
    );
    const keys = all.filter((key) => key.domain === domain && key.dnsName !== null);
    const check = () => checkDomain(app, { domain, keys, idSite, include });
    return checksOf(db).run(check, String(idSite), signal);
  },
});
