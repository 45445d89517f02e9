import type { SiteDb, SiteTables } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { notFound } from '../platform/http/refusal.ts';
import { deleteChanges } from './field-change-store.ts';
import { countGrowthAs } from './growth-store.ts';

/** The hash of an erased address, which nothing but the address itself leads to. @param email an SQL expression */
const hashOf = (t: SiteTables, email: Sql): Sql =>
  sql`sha256(convert_to((select salt from ${t.erasure_salt})::text || lower(${email}), 'UTF8'))`;

/**
 * Condition: the person with this address was erased. The first half is evaluated once for a statement, so that sites
 * without erased people hash nothing.
 * @param email an SQL expression
 */
export const isErased = (t: SiteTables, email: Sql): Sql => sql`(
  exists (select from ${t.erased_address})
  and exists (select from ${t.erased_address} erased where erased.hash = ${hashOf(t, email)}))`;

/** Condition: the subscriber was erased. @param id an SQL expression */
export const isErasedId = (t: SiteTables, id: Sql): Sql =>
  sql`exists (select from ${t.erased_subscriber} erased where erased.id = ${id})`;

/** Maximum wait for writers of subscribers. Later writers, unsubscriptions among them, wait behind it. */
const patience = '5s';

/**
 * Locks the subscribers against writers, and waits for those that began. Otherwise one of them could insert the address
 * just now without having seen that its person was erased. Transactions that have only locked rows are waited for too,
 * because each would wait for the other as soon as they write. Plain reads continue.
 * @throws lock_not_available (55P03)
 */
async function waitForWriters(tx: SiteDb): Promise<void> {
  await tx.run(sql`select set_config('lock_timeout', ${patience}, true)`);
  await tx.run(sql`lock table ${tx.t.subscriber} in exclusive mode`);
  await tx.run(sql`select set_config('lock_timeout', '0', true)`);
}

/**
 * Erases a person: every row with their address, the archive included. What is left is the hash of the address, and the
 * ids, which facts have. A caller clears these facts (`eraseTraces`).
 * @returns the erased ids
 * @throws 404 for an id that is neither a subscriber's nor in the archive; 55P03 as `waitForWriters`
 */
export async function erasePerson(tx: SiteDb, id: number): Promise<number[]> {
  const { subscriber, archived_subscriber } = tx.t;
  await waitForWriters(tx);
  const [email] = await tx.values<string>(sql`
    select fld1 from ${subscriber} where fld0 = ${id}
    union all
    select email from ${archived_subscriber} where id = ${id}`);
  if (email === undefined) throw notFound('Subscriber');
  await countGrowthAs(tx, 'deleted');
  const ids = await tx.values<number>(sql`
    with subscribed as (
      delete from ${subscriber} where lower(fld1) = lower(${email}) returning fld0 as id),
    archived as (
      delete from ${archived_subscriber} where lower(email) = lower(${email}) returning id),
    kept as (
      insert into ${tx.t.erased_address} (hash) select ${hashOf(tx.t, sql`${email}::text`)} on conflict do nothing)
    insert into ${tx.t.erased_subscriber} (id)
    select id from subscribed union select id from archived
    on conflict (id) do update set id = excluded.id
    returning id`);
  await deleteChanges(tx, ids);
  return ids;
}

/** Removes addresses of erased people from the changes of others who had one before or after. */
export async function clearErasedAddresses(db: SiteDb): Promise<void> {
  const [before, after] = [sql`changes -> '1' ->> 0`, sql`changes -> '1' ->> 1`];
  await db.run(sql`
    update ${db.t.subscriber_change} set changes = changes - '1'
    where changes ? '1' and (${isErased(db.t, sql`(${before})`)} or ${isErased(db.t, sql`(${after})`)})`);
}
