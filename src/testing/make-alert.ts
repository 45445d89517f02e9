import { sql } from '../platform/db/sql.ts';
import type { TestApp } from './app.ts';

/** An open alert of a site, by default of `demo`, at the provider Gmail; its id. */
export async function makeAlert(
  t: TestApp,
  of: { readonly level?: number; readonly idSite?: number; readonly senderDomain?: string } = {},
): Promise<string> {
  const { level = 3, idSite = t.db.site.id, senderDomain = 'news.example.com' } = of;
  return t.app.control.value<string>(sql`
    insert into facteur.alert (id_site, sender_domain, id_provider, level, hours, nb_sent, nb_complaints, raised_at)
    values (${idSite}, ${senderDomain}, 1, ${level}, 24, 2000, 20, ${t.clock.now()}) returning id`);
}
