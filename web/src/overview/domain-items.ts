import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useMe, useSite } from '../session/session.tsx';
import type { Item } from './attention.tsx';
import { useSentWords } from './words.ts';

/** Domains whose records are looked up in the DNS. */
const mostChecked = 5;
/** The records of a check that need attention; the reason of other states is not known. */
const wrongStates = ['missing', 'different', 'several'] as const;
/** Records that receivers of messages look for. */
const kinds = ['SPF', 'DKIM', 'DMARC'];

/** Domains without a key to sign with or without a record, as administrators see them. Without a relay nothing leaves. */
export function useDomainItems(): readonly Item[] {
  const texts = useSentWords().attention;
  const site = useSite();
  const { isAdministrator } = useMe();
  const path = { idsite: site.name };
  const { data: domains } = useQuery({
    queryKey: ['used-domains', site.name],
    enabled: isAdministrator,
    staleTime: 60_000,
    queryFn: () => readDomains(site.name),
  });
  const keys = domains?.signed ?? [];
  const { data: records } = useQuery({
    queryKey: ['domain-records', site.name, keys],
    enabled: keys.length > 0,
    // Each check asks other people's DNS servers.
    staleTime: 3_600_000,
    retry: false,
    queryFn: async () => {
      const checks = await Promise.all(
        keys.map(({ idSendingDomain }) =>
          dataOf(
            api.GET('/admin/v1/sites/{idsite}/sending-domains/{idSendingDomain}/dns', {
              params: { path: { ...path, idSendingDomain } },
            }),
          ),
        ),
      );
      // SPF is of the return path, which all domains share.
      const found = checks.flatMap(({ domain, records: all }) =>
        all
          .filter(({ kind }) => kinds.includes(kind))
          .map(({ kind, name, state }) => ({ kind, state, domain: kind === 'SPF' ? name : domain })),
      );
      return [...new Map(found.map((one) => [`${one.kind} ${one.domain} ${one.state}`, one])).values()];
    },
  });
  const action = {
    link: { to: '/$site/settings/domains' as const, params: { site: site.name } },
    name: texts.look.domain,
  };
  return [
    ...(domains?.unsigned ?? []).map((domain) => ({
      ...{ key: `domain ${domain}`, isSerious: false, title: texts.domain(domain), text: texts.domainText },
      action,
    })),
    ...(records ?? []).flatMap(({ kind, domain, state }) => {
      const wrong = wrongStates.find((one) => one === state);
      if (!wrong) return [];
      return [
        {
          ...{
            key: `record ${kind} ${domain} ${state}`,
            isSerious: false,
            title: texts.record(kind, domain),
          },
          ...{ text: texts.records[wrong], action },
        },
      ];
    }),
  ];
}

/** The domains of the site's senders: those that have keys, with the id of one, and those without. */
async function readDomains(idsite: string) {
  const params = { path: { idsite } };
  const query = { 'filter.sortBy': 'Id', 'filter.order': 'DESC', 'filter.limit': 200 } as const;
  const [routes, keys, senders] = await Promise.all([
    dataOf(api.GET('/admin/v1/sites/{idsite}/routes', { params })),
    dataOf(api.GET('/admin/v1/sites/{idsite}/sending-domains', { params })),
    dataOf(api.GET('/v1/{idsite}/sending-configurations', { params: { ...params, query } })),
  ]);
  if (routes.length === 0) return { signed: [], unsigned: [] };
  const known = new Map(keys.map(({ id, domain }) => [domain.toLowerCase(), id]));
  const domains = senders.items.map(({ config }) => config.senderEMail.split('@').at(-1)!.toLowerCase());
  const used = [...new Set(domains)].filter((domain) => domain !== '');
  return {
    signed: used
      .flatMap((domain) => known.get(domain) ?? [])
      .slice(0, mostChecked)
      .map((idSendingDomain) => ({ idSendingDomain })),
    unsigned: used.filter((domain) => !known.has(domain)),
  };
}
