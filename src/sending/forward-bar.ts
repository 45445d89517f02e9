import type { SiteTables } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { mayReceive } from '../subscribers/eligibility.ts';

/** Condition: nothing may be forwarded to the address, by its own wish or because it may not be written to. */
export function isBarred(t: SiteTables, hash: Sql, email: Sql): Sql {
  return sql`(exists (select from ${t.forward_block} b where b.friend_hash = ${hash})
    or exists (select from ${t.subscriber} where lower(fld1) = lower(${email}) and not ${mayReceive()}))`;
}
