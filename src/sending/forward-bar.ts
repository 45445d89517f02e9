import type { SiteTables } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { mayReceive } from '../subscribers/eligibility.ts';

/**
 * Condition: nothing may be forwarded to the address, by its own wish or because it may not be written to. Who was
 * deleted is judged as they were then: unsubscribed or complained is not undone by taking them from the list.
 */
export function isBarred(t: SiteTables, hash: Sql, email: Sql): Sql {
  const isHis = sql`lower(fld1) = lower(${email})`;
  return sql`(exists (select from ${t.forward_block} b where b.friend_hash = ${hash})
    or exists (select from ${t.subscriber} where ${isHis} and not ${mayReceive()})
    or not exists (select from ${t.subscriber} where ${isHis}) and exists (
      select from (
        select (fields ->> '7')::int as fld7, (fields ->> '44')::int as fld44
        from ${t.archived_subscriber} where lower(email) = lower(${email})
        order by id desc limit 1) archived
      where not ${mayReceive()}))`;
}
