import type { ReceiptState } from '../activity/receipt.ts';
import type { Connection } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { empty, type Sql, sql } from '../platform/db/sql.ts';
import { hasEnded } from '../platform/process-name.ts';
import type { Holder } from './engine/lease.ts';
import { nudgeEngines } from './engine/nudge.ts';
import { isBarred } from './forward-bar.ts';
import { type HeldMessage, singleStates } from './single-message.ts';

const { pending, handingOver, uncertain, accepted, refused } = singleStates;

/** Says, in the transaction that adds single messages, that the site has some. */
export async function offerSingles(tx: SiteDb): Promise<void> {
  // Locks the hint: whoever finds that the site has none left takes it away after this transaction, or before.
  await tx.run(sql`
    insert into facteur.single_message_site (id_site) values (${tx.site.id})
    on conflict (id_site) do update set id_site = excluded.id_site`);
  await nudgeEngines(tx);
}

/** The sites that may have single messages to hand over. */
export async function sitesWithSingles(control: Connection): Promise<number[]> {
  const rows = await control.rows<{ id: number }>(
    sql`select id_site as id from facteur.single_message_site order by id_site`,
  );
  return rows.map(({ id }) => id);
}

/** Takes the hint away when the site has no single message left that is not over. */
export async function withdrawSingles(db: SiteDb): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(sql`select from facteur.single_message_site where id_site = ${db.site.id} for update`);
    // A statement of its own, so that it sees what was added before the lock was given.
    const { has } = await tx.one<{ has: boolean }>(sql`
      select exists (select from ${tx.t.single_message} where ${isOpen}) as has`);
    if (!has) await tx.run(sql`delete from facteur.single_message_site where id_site = ${db.site.id}`);
  });
}

const isOpen = sql`state >= ${pending}`;
const until = (leaseS: number): Sql => sql`clock_timestamp() + ${leaseS} * interval '1 second'`;
const isLapsed = sql`(lease_until is null or lease_until < clock_timestamp())`;

/**
 * Takes up to `count` messages that are due and that nobody holds. Those that another process is just taking are
 * skipped. Leases are measured by the database's clock.
 */
export async function takeSingles(
  db: SiteDb,
  at: Date,
  { owner, leaseS }: Holder,
  count: number,
): Promise<HeldMessage[]> {
  const rows = await db.rows<HeldMessage & HeldMessage['forward'] & Record<string, unknown>>(sql`
    with chosen as (
      select id from ${db.t.single_message}
      where state = ${pending} and next_at <= ${at} and ${isLapsed}
      order by next_at, id
      limit ${count}
      for update skip locked),
    held as (
      update ${db.t.single_message} m
      set lease_number = m.lease_number + 1, lease_owner = ${owner}, lease_until = ${until(leaseS)}
      from chosen c where m.id = c.id
      returning m.*)
    select held.id, held.id_sent as "idSent", held.id_subscriber as "idSubscriber", lease_number as lease, deferrals,
      created_at as "createdAt", epoch, friend, coalesce(name, '') as name, language,
      ${isBarred(db.t, sql`f.friend_hash`, sql`f.friend`)} as "isBarred"
    from held join ${db.t.forward} f on f.id_message = held.id
    order by held.id`);
  return rows.map(({ friend, name, language, isBarred: barred, ...held }) => ({
    ...held,
    forward: { friend, name, language, isBarred: barred },
  }));
}

/** Ends the leases of processes of this machine that have ended. */
export async function freeSinglesOfEnded(db: SiteDb): Promise<void> {
  const rows = await db.rows<{ owner: string }>(sql`
    select distinct lease_owner as owner from ${db.t.single_message}
    where ${isOpen} and lease_until >= clock_timestamp() and lease_owner is not null`);
  const ended = rows.map(({ owner }) => owner).filter(hasEnded);
  if (ended.length === 0) return;
  await db.run(sql`
    update ${db.t.single_message} set lease_until = null
    where ${isOpen} and lease_owner = any(${ended}::text[])`);
}

/** Holds messages for longer; not those that were given back, of which the holder may not have heard yet. */
export async function keepSingles(db: SiteDb, held: readonly HeldMessage[], leaseS: number): Promise<void> {
  await db.run(sql`
    update ${db.t.single_message} m set lease_until = ${until(leaseS)}
    from unnest(${held.map(({ id }) => id)}::int[], ${held.map(({ lease }) => lease)}::int[]) h (id, lease)
    where m.id = h.id and m.lease_number = h.lease and m.lease_until is not null and ${isOpen}`);
}

/**
 * Notes that the final dot is about to be written. @returns false when it must not be: another process has the message,
 * or it is over.
 */
export async function intendSingle(db: SiteDb, { id, lease }: HeldMessage, leaseS: number): Promise<boolean> {
  const noted = await db.run(sql`
    update ${db.t.single_message} set state = ${handingOver}, lease_until = ${until(leaseS)}
    where id = ${id} and lease_number = ${lease} and state = ${pending}`);
  return noted === 1;
}

/** Gives a message back as it was, its dot never written, to be tried at `nextAt`. */
export async function returnSingle(db: SiteDb, held: HeldMessage, nextAt: Date): Promise<void> {
  await giveBack(db, held, nextAt, empty);
}

/** Gives a message back that the relay put off with a reply code. */
export async function deferSingle(db: SiteDb, held: HeldMessage, nextAt: Date, code: number): Promise<void> {
  await giveBack(db, held, nextAt, sql`, deferrals = deferrals + 1, code = ${code}`);
}

async function giveBack(db: SiteDb, { id, lease }: HeldMessage, nextAt: Date, more: Sql): Promise<void> {
  await db.run(sql`
    update ${db.t.single_message} set state = ${pending}, lease_until = null, next_at = ${nextAt} ${more}
    where id = ${id} and lease_number = ${lease} and ${isOpen}`);
}

/**
 * Ends a message. The answer for one that was given up as uncertain meanwhile is entered too; one that another process
 * holds, or that has its answer, stays as it is. What it was made of is forgotten.
 */
export async function endSingle(
  db: SiteDb,
  { id, lease }: HeldMessage,
  state: ReceiptState,
  code: number,
  at: Date,
): Promise<void> {
  const isAnswer = state === accepted || state === refused;
  await end(
    db,
    sql`id = ${id} and lease_number = ${lease} and (${isOpen} or (${isAnswer} and state = ${uncertain}))`,
    sql`state = ${state}, code = ${code}, ended_at = ${at}`,
  );
}

/** Ends those whose holder is gone with their answer: nobody knows whether they arrived. */
export async function endLostSingles(db: SiteDb, at: Date): Promise<void> {
  await end(db, sql`state = ${handingOver} and ${isLapsed}`, sql`state = ${uncertain}, ended_at = ${at}`);
}

async function end(db: SiteDb, which: Sql, change: Sql): Promise<void> {
  await db.run(sql`
    with ended as (update ${db.t.single_message} set ${change}, lease_until = null where ${which} returning id)
    update ${db.t.forward} f set friend = null, name = null from ended where f.id_message = ended.id`);
}
