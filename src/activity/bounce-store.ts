import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import type { Bounce } from './bounce.ts';

/** Longest diagnostic that is kept, in characters. */
const maxDiagnostic = 2_000;

/**
 * Records a bounce or a complaint, once per report: mail systems deliver reports again.
 * @returns whether it was new.
 */
export async function recordBounce(db: SiteDb, bounce: Bounce): Promise<boolean> {
  const recorded = await db.run(sql`
    insert into ${db.t.bounce} (id_sent, id_subscriber, class, status, diagnostic, at, digest)
    values (${bounce.idSent}, ${bounce.idSubscriber}, ${bounce.class}, ${bounce.status},
      ${storable(bounce.diagnostic)}, ${bounce.at}, ${bounce.digest})
    on conflict (digest) do nothing`);
  return recorded > 0;
}

// PostgreSQL keeps no NUL, and the words come from anybody.
function storable(text: string): string {
  return text.replaceAll('\0', '').slice(0, maxDiagnostic);
}
