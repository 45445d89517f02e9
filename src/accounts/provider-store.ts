import type { Connection } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { otherProvider, type Provider } from './provider.ts';

export async function listProviders(control: Connection): Promise<Provider[]> {
  return control.rows<Provider & Record<string, unknown>>(sql`
    select p.id, p.name, p.max_connections as "maxConnections", p.messages_per_hour as "messagesPerHour",
      coalesce(array_agg(d.domain order by d.domain) filter (where d.domain is not null), '{}') as domains
    from provider p left join provider_domain d on d.id_provider = p.id
    group by p.id order by p.id`);
}

/**
 * The provider of every domain that has one: small (tens to thousands), so that a caller reads it once for a whole
 * job instead of asking for each recipient.
 */
export async function providersByDomain(control: Connection): Promise<ReadonlyMap<string, number>> {
  const rows = await control.rows<{ domain: string; idProvider: number }>(
    sql`select domain, id_provider as "idProvider" from provider_domain`,
  );
  return new Map(rows.map((row) => [row.domain, row.idProvider]));
}

/** The provider that a domain (in lower case) belongs to; 0 when it belongs to none that we know. */
export async function providerOfDomain(control: Connection, domain: string): Promise<number> {
  const row = await control.first<{ idProvider: number }>(
    sql`select id_provider as "idProvider" from provider_domain where domain = ${domain}`,
  );
  return row?.idProvider ?? otherProvider;
}
