import { foldActivity } from '../src/activity/fold-store.ts';
import type { SiteDb } from '../src/platform/db/site-db.ts';
import { raw, type Sql, sql } from '../src/platform/db/sql.ts';
import { addTargetData } from './targets-fields.ts';

/** All data and queries are of this moment, so that figures of different days can be compared. */
export const benchNow = new Date('2026-11-20T10:00:00Z');
/** One every three days, the last one yesterday: ten in 30 days. */
export const sentCount = 60;
const daysBetween = 3;
/** Hits of one row, as stored by a service at the maximum rate of aggregation: those of 100 ms. */
const hitsOfRow = 2_000;

/**
 * A site of so many subscribers with 30 receipts, 8 opens and 2.5 clicks each over six months: a sending goes to half
 * of the subscribers, keen readers open many, three of ten opens lead to a click, and one click in 25 comes without an
 * open. Everything goes through the fold, sending by sending, as it would in time.
 */
export async function makeActivityData(
  db: SiteDb,
  subscribers: number,
  say: (text: string) => void,
): Promise<{ facts: number; foldSeconds: number }> {
  await addTargetData(db, subscribers);
  await makeSents(db);
  let facts = 0;
  let foldSeconds = 0;
  for (let sent = 1; sent <= sentCount; sent++) {
    await receive(db, sent, subscribers);
    await react(db, sent, subscribers);
    const started = performance.now();
    for (let n = Number.POSITIVE_INFINITY; n > 0; facts += n) {
      const { hits, receipts } = await foldActivity(db);
      n = hits + receipts;
    }
    foldSeconds += (performance.now() - started) / 1_000;
    await db.run(sql`vacuum ${db.t.hit_batch}`);
    if (sent % 10 === 0)
      say(`${sent} of ${sentCount} sendings, ${Math.round(facts / foldSeconds)} facts folded a second`);
  }
  await db.run(sql`vacuum analyze`);
  return { facts, foldSeconds };
}

async function makeSents(db: SiteDb): Promise<void> {
  const { t } = db;
  await db.run(sql`
    with campaigns as (
      insert into ${t.campaign} (id_user, author, name, parameters, created_at, updated_at)
      select 1, 'Ada', 'News ' || n, json_build_object('name', 'News ' || n, 'type', 'Newsletter', 'subject', 'Hello'),
        now(), now()
      from generate_series(1, ${sentCount}::int) n
      returning id),
    started as (
      select id, ${benchNow}::timestamptz - make_interval(hours => 26)
        - (${sentCount}::int - row_number() over (order by id)) * ${daysBetween}::int * interval '1 day' as at
      from campaigns),
    jobs as (
      insert into ${t.job} (id_campaign, is_test, state, author, campaign_name, subject, created_at, scheduled_at,
        started_at)
      select id, false, 'Finished', 'Ada', 'News', 'Hello', at, at, at from started order by id
      returning id, id_campaign, started_at),
    sendings as (
      insert into ${t.sending} (id_campaign, id_segment, position, name)
      select id_campaign, 1, 1, 'All' from jobs
      returning id, id_campaign)
    insert into ${t.sent} (id_job, id_sending, position, segment_name, id_target, filter_name, parameters, started_at)
    select j.id, s.id, 1, 'All', 1, 'All', '{}', j.started_at
    from jobs j join sendings s using (id_campaign) order by j.id`);
}

/** Half of the subscribers, by a hash. */
const receives = (sent: number) => sql`hashint4(id * 61 + ${sent}::int) & 1 = 0`;

/** Receipts in ranges of 1,000, taken over two hours; and the same as one row each for the plain formulation. */
async function receive(db: SiteDb, sent: number, subscribers: number): Promise<void> {
  await db.run(sql`
    insert into ${db.t.receipt_range} (id_sent, first_subscriber, last_subscriber, subscribers, states, codes,
      id_providers, first_at, last_at, delays)
    select ${sent}::int, min(id), max(id), array_agg(id order by id), array_agg(1::smallint), array_agg(250::smallint),
      array_agg(id % 20 order by id), min(at), max(at),
      array_agg((extract(epoch from at - first_at) * 1000)::int order by id)
    from (
      select *, min(at) over (partition by number) as first_at
      from (
        select ids.id, number, s.started_at + number * 7200.0 * ${1_000 / (subscribers / 2)}::float * interval '1 second'
          + (hashint4(ids.id) & 1023) * interval '1 millisecond' as at
        from (
          select id, (row_number() over (order by id) - 1) / 1000 as number
          from generate_series(1, ${subscribers}::int) id where ${receives(sent)}) ids,
          ${db.t.sent} s where s.id = ${sent}) ranges) timed
    group by number`);
  await db.run(sql`
    insert into ${plainReceipt(db)} select * from ${db.t.receipt} where id_sent = ${sent}`);
}

export const plainReceipt = (db: SiteDb) => db.name('plain_receipt');

const agents = sql`(array[
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  'Mozilla/5.0'])`;

async function react(db: SiteDb, sent: number, subscribers: number): Promise<void> {
  const opens = Math.round((subscribers * 8) / sentCount);
  const clicks = Math.round((subscribers * 2.5) / sentCount);
  // Keen readers have low numbers; the multiplication spreads them over all ids.
  const reader = sql`1 + ((power(random(), 2) * ${subscribers}::int)::bigint * 7919) % ${subscribers}::int`;
  const later = sql`-ln(1 - random()) * interval '30 hours'`;
  const hit = (kind: number, link: number | null) => sql`
    select least(at, ${benchNow}::timestamptz) as at, ${kind}::smallint as kind,
      case agent when 3 then 3 when 4 then 2 else 1 end as class, agent = 2 as is_mobile, ${sent}::int as id_sent,
      id as id_subscriber, ${link}::bigint as id_link, (${agents})[agent] as user_agent,
      '192.0.2.1'::inet + (id % 250) as address`;
  await db.run(sql`
    create temp table opened as
    select r.id::int as id, s.started_at + ${later} as at, 1 + (hashint4(r.id::int) & 3) as agent
    from (select ${reader} as id from generate_series(1, ${opens * 2 + 1000}::int)) r, ${db.t.sent} s
    where s.id = ${sent} and hashint4(r.id::int * 61 + ${sent}::int) & 1 = 0
    limit ${opens}`);
  await db.run(insertHits(db, sql`${hit(1, null)} from opened order by at`));
  const clicked = sql`${hit(2, 1)}
    from (
      (select id, at + random() * interval '5 minutes' as at, agent from opened limit ${Math.round(clicks * 0.96)})
      union all
      (select 1 + (random() * (${subscribers}::int - 1))::int, s.started_at + ${later}, 1
       from generate_series(1, ${Math.round(clicks * 0.04)}::int), ${db.t.sent} s where s.id = ${sent})) clicked
    order by at`;
  await db.run(insertHits(db, clicked));
  await db.run(sql`drop table opened`);
}

/** Lets rows (at, kind, class, is_mobile, id_sent, id_subscriber, id_link, user_agent, address) wait to be folded. */
export function insertHits(db: SiteDb, rows: Sql): Sql {
  return sql`
    insert into ${db.t.hit_batch} (size, hits)
    select count(*), string_agg(user_agent || E'\\x1c' || format('%s %s %s %s %s 0 1 %s %s %s',
      floor(extract(epoch from at) * 1000)::bigint, kind, class, id_sent, id_subscriber, is_mobile::int, id_link,
      host(address)), E'\\x1d')
    from (select *, row_number() over () as number from (${rows}) h) h
    group by (number - 1) / ${hitsOfRow}::int`;
}

/** Bytes of each kind of storage, and for how many facts. */
export async function storage(db: SiteDb): Promise<Record<string, number>> {
  const size = (tables: string[]) => sql`(
    select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
    from pg_class c
    where c.relnamespace = ${db.site.schema}::regnamespace and c.relkind = 'r'
      and c.relname ~ ${`^(${tables.join('|')})$`})`;
  return db.one(sql`
    select ${size(['receipt_range'])} as receipts, ${size(['received_by_day'])} as "sums of receipts",
      ${size(['hit_\\d.*', 'hit_batch'])} as hits, ${size(['act_by_day', 'act_by_sent'])} as "sums of hits",
      ${size(['plain_receipt'])} as ${raw('"a row for each receipt"')}`);
}
