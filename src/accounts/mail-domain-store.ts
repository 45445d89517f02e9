import type { Connection, Database } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { sortByMx } from './provider-store.ts';

/** A domain and its preferred mail server; '' for a domain without any. */
export interface MailDomain {
  readonly domain: string;
  readonly server: string;
}

/** Whether any provider is known by its mail servers. */
export async function hasMxSuffixes(control: Connection): Promise<boolean> {
  return control.has(sql`select from facteur.provider_mx limit 1`);
}

/** Returns those of some domains that need a look-up: unknown ones, and those looked up before `since`. */
export async function unresolvedAmong(
  control: Connection,
  domains: readonly string[],
  since: Date,
): Promise<string[]> {
  return control.values<string>(sql`
    select domain from unnest(${domains}::text[]) domain
    where domain not in (select domain from facteur.provider_domain where not is_by_mx)
      and domain not in (select domain from facteur.mail_domain where resolved_at > ${since})`);
}

/** Keeps what DNS said, and sorts the domains by it. */
export async function keepMailDomains(
  control: Database,
  found: readonly MailDomain[],
  at: Date,
): Promise<void> {
  await control.transaction(async (tx) => {
    await tx.run(sql`lock table facteur.provider in share row exclusive mode`);
    await tx.run(sql`
      insert into facteur.mail_domain (domain, server, resolved_at)
      select domain, server, ${at}::timestamptz
      from unnest(${found.map(({ domain }) => domain)}::text[], ${found.map(({ server }) => server)}::text[])
        as given (domain, server)
      on conflict (domain) do update set server = excluded.server, resolved_at = excluded.resolved_at`);
    await sortByMx(tx);
  });
}
