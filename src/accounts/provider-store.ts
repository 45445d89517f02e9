import { type Connection, type Database, isDuplicate } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { conflict } from '../platform/http/refusal.ts';
import type { Provider } from './provider.ts';

export async function listProviders(control: Connection): Promise<Provider[]> {
  return control.rows<Provider & Record<string, unknown>>(sql`
    select p.id, p.name, p.max_connections as "maxConnections", p.messages_per_hour as "messagesPerHour",
      coalesce(array_agg(d.domain order by d.domain) filter (where d.domain is not null), '{}') as domains
    from facteur.provider p left join facteur.provider_domain d on d.id_provider = p.id
    group by p.id order by p.id`);
}

/**
 * The provider of every domain that has one: small (tens to thousands), so that a caller reads it once for a whole
 * job instead of asking for each recipient.
 */
export async function providersByDomain(control: Connection): Promise<ReadonlyMap<string, number>> {
  const rows = await control.rows<{ domain: string; idProvider: number }>(
    sql`select domain, id_provider as "idProvider" from facteur.provider_domain`,
  );
  return new Map(rows.map((row) => [row.domain, row.idProvider]));
}

type Kept = Omit<Provider, 'id'>;

/**
 * Adds a provider; its id is the highest one plus 1.
 * @throws 409 when a provider has the name, or one of the domains.
 */
export async function insertProvider(control: Database, provider: Kept): Promise<Provider> {
  return changingProviders(control, async (tx) => {
    const { name, maxConnections, messagesPerHour } = provider;
    const { id } = await tx.one<{ id: number }>(sql`
      insert into facteur.provider (id, name, max_connections, messages_per_hour)
      select coalesce(max(id), 0) + 1, ${name}, ${maxConnections}::int, ${messagesPerHour}::int from facteur.provider
      returning id`);
    await claimDomains(tx, id, provider.domains);
    return { id, ...provider };
  });
}

/**
 * Replaces a provider. What is sent goes by the new limits and domains within a minute.
 * @returns undefined for an unknown id.
 * @throws 409 when another provider has the name, or one of the domains.
 */
export async function updateProvider(
  control: Database,
  id: number,
  provider: Kept,
): Promise<Provider | undefined> {
  return changingProviders(control, async (tx) => {
    const { name, maxConnections, messagesPerHour, domains } = provider;
    const known = await tx.run(sql`
      update facteur.provider set
        name = ${name}, max_connections = ${maxConnections}, messages_per_hour = ${messagesPerHour}
      where id = ${id}`);
    if (known === 0) return undefined;
    await tx.run(sql`
      delete from facteur.provider_domain where id_provider = ${id} and domain <> all(${domains}::text[])`);
    await claimDomains(tx, id, domains);
    return { id, ...provider };
  });
}

/** One change at a time: ids cannot collide, and whoever has a domain can be named. Readers go on. */
async function changingProviders<T>(control: Database, work: (tx: Connection) => Promise<T>): Promise<T> {
  try {
    return await control.transaction(async (tx) => {
      await tx.run(sql`lock table facteur.provider in share row exclusive mode`);
      return work(tx);
    });
  } catch (error) {
    if (isDuplicate(error)) throw conflict('Another provider has this name');
    throw error;
  }
}

async function claimDomains(tx: Connection, id: number, domains: readonly string[]): Promise<void> {
  const taken = await tx.first<{ domain: string; name: string }>(sql`
    select d.domain, p.name from facteur.provider_domain d join facteur.provider p on p.id = d.id_provider
    where d.domain = any(${domains}::text[]) and p.id <> ${id} order by d.domain limit 1`);
  if (taken) throw conflict(`The domain '${taken.domain}' belongs to the provider '${taken.name}'`);
  await tx.run(sql`
    insert into facteur.provider_domain (domain, id_provider)
    select domain, ${id}::int from unnest(${domains}::text[]) domain
    on conflict do nothing`);
}
