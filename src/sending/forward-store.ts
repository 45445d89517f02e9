import { type BounceClass, bounceClasses } from '../activity/bounce.ts';
import type { PageLanguage } from '../contents/page-language.ts';
import { currentEpoch } from '../installation/installation-store.ts';
import { advisoryLock } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { forwardLimits } from './forward.ts';
import { singleStates } from './single-message.ts';
import { isBarred, offerSingles } from './single-message-store.ts';

/** A request of the forward page's form. */
interface ForwardRequest {
  readonly idSent: number;
  /** The forwarder. */
  readonly idSubscriber: number;
  readonly friends: readonly Friend[];
  readonly name: string;
  readonly language: PageLanguage;
  readonly at: Date;
}

/** A forward recipient. */
export interface Friend {
  readonly email: string;
  /** The hash that remains when the address is deleted (`friendHash`). */
  readonly hash: Buffer;
}

/**
 * asked: every eligible recipient gets the message. tooMany: above a limit of the forwarder, nothing was stored. gone,
 * expired: the message no longer exists or has expired.
 */
export type ForwardAnswer = 'asked' | 'tooMany' | 'gone' | 'expired';

const dayMs = 86_400_000;

/**
 * Stores forwards and offers them to the engine, in one transaction. A repeated recipient changes nothing. An
 * ineligible one gets a row too, but no message: neither the response nor the limits reveal who is in the database.
 */
export async function requestForwards(db: SiteDb, request: ForwardRequest): Promise<ForwardAnswer> {
  return db.transaction(async (tx) => {
    // Serialises the requests of a site, so that two at once cannot both fit below a limit.
    await tx.run(advisoryLock(`forwards of ${tx.site.schema}`));
    const { idSent, idSubscriber, at } = request;
    const content = await tx.first<{ expired: boolean }>(sql`
      select coalesce((j.frozen #>> '{source,expires}')::timestamptz <= ${at}, false) as expired
      from ${tx.t.sent} s join ${tx.t.job} j on j.id = s.id_job
      where s.id = ${idSent} and j.frozen is not null`);
    if (!content) return 'gone';
    if (content.expired) return 'expired';
    const known = await tx.values<Buffer>(sql`
      select friend_hash as hash from ${tx.t.forward} where id_sent = ${idSent} and id_subscriber = ${idSubscriber}`);
    const ofDay = await tx.value<number>(sql`
      select count(*)::int from ${tx.t.forward}
      where id_subscriber = ${idSubscriber} and asked_at > ${new Date(at.getTime() - dayMs)}`);
    const fresh = request.friends.filter(({ hash }) => !known.some((one) => one.equals(hash)));
    if (known.length + fresh.length > forwardLimits.perMessage) return 'tooMany';
    if (ofDay + fresh.length > forwardLimits.perDay) return 'tooMany';
    const epoch = (await currentEpoch(tx))?.id ?? null;
    for (const friend of fresh) await addForward(tx, request, friend, epoch);
    if (fresh.length > 0) await offerSingles(tx);
    return 'asked';
  });
}

async function addForward(
  tx: SiteDb,
  { idSent, idSubscriber, name, language, at }: ForwardRequest,
  { email, hash }: Friend,
  epoch: string | null,
): Promise<void> {
  const { pending, cancelled } = singleStates;
  const since = new Date(at.getTime() - dayMs);
  await tx.run(sql`
    with friend as (
      select ${isBarred(tx.t, sql`${hash}::bytea`, sql`${email}::text`)}
        or exists (select from ${tx.t.forward} where id_sent = ${idSent} and friend_hash = ${hash}::bytea)
        or (select count(*) from ${tx.t.forward} f join ${tx.t.single_message} m on m.id = f.id_message
          where f.friend_hash = ${hash}::bytea and f.asked_at > ${since} and m.state <> ${cancelled})
          >= ${forwardLimits.perFriendADay} as "isBarred"),
    message as (
      insert into ${tx.t.single_message} (id_sent, id_subscriber, state, created_at, epoch, next_at, ended_at)
      select ${idSent}::int, ${idSubscriber}::int,
        case when "isBarred" then ${cancelled}::smallint else ${pending}::smallint end, ${at}::timestamptz,
        ${epoch}::text, ${at}::timestamptz, case when "isBarred" then ${at}::timestamptz end
      from friend
      returning id, state = ${pending} as is_sent)
    insert into ${tx.t.forward} (id_message, id_sent, id_subscriber, friend_hash, friend, name, language, asked_at)
    select id, ${idSent}::int, ${idSubscriber}::int, ${hash}::bytea, case when is_sent then ${email}::text end,
      case when is_sent then ${name}::text end, ${language}::text, ${at}::timestamptz
    from message`);
}

/** Blocks further forwards to the address of a forward. */
export async function blockForwards(db: SiteDb, idForward: number, at: Date): Promise<void> {
  await db.run(sql`
    insert into ${db.t.forward_block} (friend_hash, at)
    select friend_hash, ${at}::timestamptz from ${db.t.forward} where id_message = ${idForward}
    on conflict do nothing`);
}

/**
 * Records a report about a forwarded message. A nonexistent mailbox or a complaint blocks further forwards to the
 * address. The forwarder is not affected.
 */
export async function recordForwardReport(
  db: SiteDb,
  idForward: number,
  found: BounceClass,
  at: Date,
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(sql`update ${tx.t.forward} set bounce_class = ${found} where id_message = ${idForward}`);
    const isLasting = found === bounceClasses.hard || found === bounceClasses.complaint;
    if (isLasting) await blockForwards(tx, idForward, at);
  });
}

/**
 * Number of distinct forward recipients whose message the relay accepted, by `idSent`. Without any, the key is missing.
 */
export async function godsonsOfSents(
  db: SiteDb,
  idsSent: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await db.rows<{ idSent: number; n: number }>(sql`
    select f.id_sent as "idSent", count(distinct f.friend_hash)::int as n
    from ${db.t.forward} f join ${db.t.single_message} m on m.id = f.id_message
    where f.id_sent = any(${idsSent}::int[]) and m.state = ${singleStates.accepted}
    group by f.id_sent`);
  return new Map(rows.map(({ idSent, n }) => [idSent, n]));
}
