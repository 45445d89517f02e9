import type { Connection } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';

/** How long a request is remembered: longer than any is accepted. */
const rememberedMs = 26 * 3_600_000;

/**
 * Records a signed request as accepted, in the caller's transaction. Returns false if it was accepted before. A
 * concurrent request with the same digest waits until the first transaction has ended.
 * @param digest SHA-256 of the request's unique parts.
 */
export async function noteWebhookRequest(
  tx: Connection,
  idRoute: number,
  digest: Buffer,
  at: Date,
): Promise<boolean> {
  return tx.touches(sql`
    insert into facteur.webhook_request (id_route, digest, at) values (${idRoute}, ${digest}, ${at})
    on conflict do nothing`);
}

/** Deletes requests that would be rejected by their age anyway. */
export async function forgetWebhookRequests(control: Connection, now: Date): Promise<void> {
  const before = new Date(now.getTime() - rememberedMs);
  await control.run(sql`delete from facteur.webhook_request where at < ${before}`);
}
