import { type Connection, type Database, isDuplicate } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { conflict } from '../platform/http/refusal.ts';
import type { Provider } from './provider.ts';

export async function listProviders(control: Connection): Promise<Provider[]> {
  return control.rows<Provider>(sql`
    select p.id, p.name, p.max_connections as "maxConnections", p.messages_per_hour as "messagesPerHour",
      array(select domain from facteur.provider_domain d where d.id_provider = p.id and not is_by_mx order by 1)
        as domains,
      array(select suffix from facteur.provider_mx m where m.id_provider = p.id order by 1) as "mxSuffixes"
    from facteur.provider p
    order by p.id`);
}

/** Returns the provider of every domain that has one: tens to thousands, so that a caller reads them once for a job. */
export async function providersByDomain(control: Connection): Promise<ReadonlyMap<string, number>> {
  const rows = await control.rows<{ domain: string; idProvider: number }>(
    sql`select domain, id_provider as "idProvider" from facteur.provider_domain`,
  );
  return new Map(rows.map((row) => [row.domain, row.idProvider]));
}

type Kept = Omit<Provider, 'id'>;

/** Adds a provider; its id is the highest one plus 1. @throws 409 if its name or a domain belongs to another */
export async function insertProvider(control: Database, provider: Kept): Promise<Provider> {
  return changingProviders(control, async (tx) => {
    const { name, maxConnections, messagesPerHour } = provider;
    const id = await tx.value<number>(sql`
      insert into facteur.provider (id, name, max_connections, messages_per_hour)
      select coalesce(max(id), 0) + 1, ${name}, ${maxConnections}::int, ${messagesPerHour}::int from facteur.provider
      returning id`);
    await claimDomains(tx, id, provider.domains);
    await claimSuffixes(tx, id, provider.mxSuffixes);
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
    const { name, maxConnections, messagesPerHour, domains, mxSuffixes } = provider;
    const known = await tx.run(sql`
      update facteur.provider set
        name = ${name}, max_connections = ${maxConnections}, messages_per_hour = ${messagesPerHour}
      where id = ${id}`);
    if (known === 0) return undefined;
    await tx.run(sql`
      delete from facteur.provider_domain
      where id_provider = ${id} and not is_by_mx and domain <> all(${domains}::text[])`);
    await claimDomains(tx, id, domains);
    await tx.run(sql`
      delete from facteur.provider_mx where id_provider = ${id} and suffix <> all(${mxSuffixes}::text[])`);
    await claimSuffixes(tx, id, mxSuffixes);
    return { id, ...provider };
  });
}

/** One change at a time: ids cannot collide, and anyone who has a domain can be named. Readers continue. */
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
    where d.domain = any(${domains}::text[]) and p.id <> ${id} and not d.is_by_mx order by d.domain limit 1`);
  if (taken) throw conflict(`The domain '${taken.domain}' belongs to the provider '${taken.name}'`);
  await tx.run(sql`
    insert into facteur.provider_domain (domain, id_provider)
    select domain, ${id}::int from unnest(${domains}::text[]) domain
    on conflict (domain) do update set id_provider = excluded.id_provider, is_by_mx = false`);
}

/** Takes mail servers for a provider, and sorts the known domains by them. @throws 409 for one of another provider */
async function claimSuffixes(tx: Connection, id: number, suffixes: readonly string[]): Promise<void> {
  const taken = await tx.first<{ suffix: string; name: string }>(sql`
    select m.suffix, p.name from facteur.provider_mx m join facteur.provider p on p.id = m.id_provider
    where m.suffix = any(${suffixes}::text[]) and p.id <> ${id} order by m.suffix limit 1`);
  if (taken) throw conflict(`The mail servers '${taken.suffix}' belong to the provider '${taken.name}'`);
  await tx.run(sql`
    insert into facteur.provider_mx (suffix, id_provider)
    select suffix, ${id}::int from unnest(${suffixes}::text[]) suffix
    on conflict do nothing`);
  await sortByMx(tx);
}

/** Assigns domains to the provider with the longest suffix of their mail server; administrators' choices stay. */
export async function sortByMx(tx: Connection): Promise<void> {
  await tx.run(sql`delete from facteur.provider_domain where is_by_mx`);
  await tx.run(sql`
    insert into facteur.provider_domain (domain, id_provider, is_by_mx)
    select d.domain, m.id_provider, true
    from facteur.mail_domain d cross join lateral (
      select id_provider from facteur.provider_mx m
      where d.server = m.suffix or right(d.server, length(m.suffix) + 1) = '.' || m.suffix
      order by length(m.suffix) desc limit 1) m
    on conflict do nothing`);
}
