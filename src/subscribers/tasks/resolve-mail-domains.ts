import type { Resolver } from 'node:dns/promises';
import { forEachSite } from '../../accounts/for-each-site.ts';
import {
  hasMxSuffixes,
  keepMailDomains,
  type MailDomain,
  unresolvedAmong,
} from '../../accounts/mail-domain-store.ts';
import type { App } from '../../platform/app.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { sql } from '../../platform/db/sql.ts';
import { dnsResolver, recordsOf } from '../../platform/dns.ts';
import { task } from '../../platform/tasks.ts';

/** Maximum number of domains of a site, the most common ones; the others have too few readers to affect figures. */
const mostDomains = 2_000;
/** Maximum number of look-ups in one run over all sites. */
const mostLookups = 2_000;
const atOnce = 10;
const timeoutMs = 3_000;
/** Time until a domain is looked up again: companies seldom change their mail servers. */
const keptMs = 30 * 86_400_000;

/** Looks up subscribers' mail servers, so that a company hosted by Google counts as Gmail; retries later. */
export const resolveMailDomains = task({
  name: 'resolveMailDomains',
  cron: '37 * * * *',
  async run(app, _, signal) {
    if (!(await hasMxSuffixes(app.control))) return;
    const since = new Date(app.clock.now().getTime() - keptMs);
    const wanted = new Set<string>();
    const addDomains = async (db: SiteDb) => {
      if (wanted.size >= mostLookups) return;
      for (const domain of await unresolvedAmong(app.control, await domainsOf(db), since)) wanted.add(domain);
    };
    await forEachSite(app, 'domains of a site not read', addDomains, signal);
    const found = await lookUp(app, [...wanted].slice(0, mostLookups), signal);
    if (found.length > 0) await keepMailDomains(app.control, found, app.clock.now());
  },
});

async function domainsOf(db: SiteDb): Promise<string[]> {
  return db.values<string>(sql`
    select fld37 as domain from ${db.t.subscriber} where fld37 <> ''
    group by fld37 order by count(*) desc, fld37 limit ${mostDomains}`);
}

/** Looks up domains; those whose look-up failed are omitted. */
async function lookUp(app: App, domains: readonly string[], signal: AbortSignal): Promise<MailDomain[]> {
  const resolver = dnsResolver(app.config, { timeout: timeoutMs, tries: 2 });
  const found: MailDomain[] = [];
  const rest = [...domains];
  const work = async () => {
    for (let domain = rest.pop(); domain !== undefined && !signal.aborted; domain = rest.pop()) {
      const server = await serverOf(resolver, domain);
      if (server !== undefined) found.push({ domain, server });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return found;
}

/** The preferred mail server of a domain in lower case, '' if there is none; undefined if DNS does not respond. */
async function serverOf(resolver: Resolver, domain: string): Promise<string | undefined> {
  const servers = await recordsOf(resolver.resolveMx(domain));
  if (servers === undefined) return undefined;
  const [preferred] = servers.toSorted((a, b) => a.priority - b.priority);
  return (preferred?.exchange ?? '').toLowerCase().replace(/\.$/, '');
}
