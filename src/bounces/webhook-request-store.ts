import type { Connection } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';

/** For how long a request is remembered: longer than the time of any is accepted. */
const rememberedMs = 26 * 3_600_000;

/**
 * Notes a signed request as taken, in the caller's transaction. Returns false if it was taken before. A second process
 * that is given the same request waits here until the first one's transaction has ended.
 * @param digest SHA-256 of what makes the request unique.
 */
export async function noteWebhookRequest(
  tx: Connection,
  idRoute: number,
  digest: Buffer,
  at: Date,
): Promise<boolean> {
  const noted = await tx.run(sql`
    insert into facteur.webhook_request (id_route, digest, at) values (${idRoute}, ${digest}, ${at})
    on conflict do nothing`);
  return noted > 0;
}

/** Forgets requests whose time would be rejected anyway. */
export async function forgetWebhookRequests(control: Connection, now: Date): Promise<void> {
  const before = new Date(now.getTime() - rememberedMs);
  await control.run(sql`delete from facteur.webhook_request where at < ${before}`);
}
