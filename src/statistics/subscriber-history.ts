import { bounceClasses } from '../activity/bounce.ts';
import { hitKinds } from '../activity/hit.ts';
import { machineClasses } from '../activity/hit-class.ts';
import { receiptStates } from '../activity/receipt.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { invalid } from '../platform/http/refusal.ts';
import {
  Bool,
  Closed,
  Id,
  Nullable,
  OneOf,
  type Static,
  Text,
  Timestamp,
  Type,
} from '../platform/http/schema.ts';

const types = [
  'Message',
  'Open',
  'Click',
  'Mirror',
  'UnsubscribePage',
  'Bounce',
  'AutoReply',
  'Complaint',
  'Unsubscription',
] as const;
const states = Object.keys(receiptStates) as (keyof typeof receiptStates)[];
const classes = ['hard', 'soft', 'dns', 'spam'] as const;
const origins = ['page', 'oneClick', 'api', 'complaint'] as const;

export const SubscriberEvent = Closed('SubscriberEvent', {
  at: Timestamp(),
  type: OneOf(
    types,
    'Mirror: the message was read in the browser. AutoReply: an out-of-office reply or the like',
  ),
  idSent: Id('sent', 'The sending that it is about'),
  idCampaign: Nullable(Id('campaign')),
  campaignName: Nullable(Type.String()),
  isTest: Bool('Whether the message was a test mailing'),
  state: Nullable(OneOf(states, 'Message: its final state. null for other events')),
  bounce: Nullable(OneOf(classes, 'Bounce: its class. null for other events')),
  reply: Nullable(
    Text(
      2_000,
      'Message, Bounce: status code and text of the relay or of the returned message; null if there is none',
    ),
  ),
  url: Nullable(Type.String({ description: 'Click: the tracked link. null for other events' })),
  isMachine: Nullable(
    Bool('Open, Click, Mirror and UnsubscribePage: whether a machine did it. null for other events'),
  ),
  origin: Nullable(
    OneOf(
      origins,
      'Unsubscription: on the page, by one click in the mail program, by the API or by a complaint',
    ),
  ),
});
export type SubscriberEvent = Static<typeof SubscriberEvent>;

/** The place of an event in the history. Only hits of one batch and millisecond can share it. */
interface Place {
  readonly at: string;
  readonly source: number;
  readonly idSent: number;
  readonly nr: number;
}

type Row = Omit<SubscriberEvent, 'at'> & Place & Record<string, unknown>;

/**
 * Returns a page of a subscriber's events, newest first, and the cursor of the next page. Messages of a range that is
 * still being sent are not shown yet. Each sending is looked up by its own index, so the time depends on the number of
 * sendings, not of subscribers.
 * @param of `before`: the cursor of the previous page
 * @throws 400 for a text that is no cursor
 */
export async function subscriberHistory(
  db: SiteDb,
  of: { readonly idSubscriber: number; readonly before: string | undefined; readonly limit: number },
): Promise<{ events: SubscriberEvent[]; next: string | null }> {
  const { idSubscriber, before, limit } = of;
  const place = before === undefined ? undefined : placeOf(before);
  const isBefore = place
    ? sql`(at, source, id_sent, nr) < (${place.at}::timestamptz, ${place.source}::int, ${place.idSent}::int,
        ${place.nr}::bigint)`
    : sql`true`;
  const rows = await db.rows<Row>(sql`
    with event as (${eventsOf(db, idSubscriber)}),
      page as (
        select * from event where ${isBefore}
        order by at desc, source desc, id_sent desc, nr desc limit ${limit + 1}::int)
    select to_json(p.at at time zone 'UTC') #>> '{}' as at, p.source, p.id_sent as "idSent", p.nr,
      types[p.type] as type,
      k.id_campaign as "idCampaign", k.campaign_name as "campaignName", coalesce(k.is_test, false) as "isTest",
      states[p.state] as state, classes[p.bounce] as bounce, p.reply, l.url, p.is_machine as "isMachine", p.origin
    from page p
      left join ${db.t.known_sent} k on k.id = p.id_sent
      left join ${db.t.tracked_link} l on l.id = p.id_link
      cross join (select ${[...types]}::text[] as types, ${states}::text[] as states,
        ${[...classes]}::text[] as classes) names
    order by p.at desc, p.source desc, p.id_sent desc, p.nr desc`);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    events: shown.map(({ source: _, nr: __, at, ...event }) => ({
      at: new Date(`${at}Z`).toISOString(),
      ...event,
    })),
    next: rows.length > limit && last ? cursorOf(last) : null,
  };
}

const cursorOf = ({ at, source, idSent, nr }: Place): string => [at, source, idSent, nr].join('_');

function placeOf(cursor: string): Place {
  const found = /^(([\d-]{10}T[\d:]{8})(?:\.\d{1,6})?)_(\d)_(\d{1,9})_(\d{1,15})$/.exec(cursor);
  if (!found || !isTime(found[2]!)) throw invalid('before: must be the `next` of another page');
  return { at: `${found[1]}Z`, source: Number(found[3]), idSent: Number(found[4]), nr: Number(found[5]) };
}

/** Whether PostgreSQL accepts a time: neither 30 February, which JavaScript accepts, nor the year 0. */
function isTime(text: string): boolean {
  const time = new Date(`${text}Z`);
  return !Number.isNaN(time.getTime()) && time.getUTCFullYear() > 0 && time.toISOString().startsWith(text);
}

const typeNumber = (type: (typeof types)[number]) => sql`${types.indexOf(type) + 1}::int`;

/** Rows (at, source, id_sent, nr, type, state, bounce, reply, id_link, is_machine, origin). */
function eventsOf({ t }: SiteDb, idSubscriber: number): Sql {
  const { open, mirror, unsubscription } = hitKinds;
  const { complaint, autoReply, hard, soft, dns } = bounceClasses;
  return sql`
    select m.at, 1 as source, m.id_sent, 0::bigint as nr, ${typeNumber('Message')} as type, m.state::int as state,
      null::int as bounce, coalesce(f.status || ' ' || f.reply, nullif(m.code, 0)::text) as reply,
      null::bigint as id_link, null::boolean as is_machine, null as origin
    from ${t.known_sent} k
      cross join lateral (
        select * from ${t.receipt_range} r
        where r.id_sent = k.id and r.first_subscriber <= ${idSubscriber}
          and r.last_subscriber >= ${idSubscriber}) r
      cross join lateral (
        select r.id_sent, one.state, one.code, r.first_at + one.delay * interval '1 millisecond' as at
        from unnest(r.subscribers, r.states, r.codes, r.delays) one (id_subscriber, state, code, delay)
        where one.id_subscriber = ${idSubscriber}) m
      left join ${t.delivery_failure} f on f.id_sent = m.id_sent and f.id_subscriber = ${idSubscriber}
    union all
    select at, 2, id_sent, id,
      case kind when ${open} then ${typeNumber('Open')} when ${mirror} then ${typeNumber('Mirror')}
        when ${unsubscription} then ${typeNumber('UnsubscribePage')} else ${typeNumber('Click')} end,
      null, null, null, id_link, class = any(${machineClasses}::smallint[]), null
    from ${t.hit}
    where id_sent = any(array(select id from ${t.known_sent})) and id_subscriber = ${idSubscriber}
    union all
    select at, 3, id_sent, id,
      case class when ${complaint} then ${typeNumber('Complaint')} when ${autoReply} then ${typeNumber('AutoReply')}
        else ${typeNumber('Bounce')} end,
      null,
      case class when ${hard} then 1 when ${soft} then 2 when ${dns} then 3
        when ${bounceClasses.spam} then 4 end,
      nullif(left(concat_ws(' ', nullif(status, ''), nullif(diagnostic, '')), 2000), ''), null, null, null
    from ${t.bounce}
    where id_sent = any(array(select id from ${t.known_sent})) and id_subscriber = ${idSubscriber}
    union all
    select at, 4, id_sent, 0, ${typeNumber('Unsubscription')}, null, null, null, null, null, origin
    from ${t.unsubscription}
    where id_sent = any(array(select id from ${t.known_sent})) and id_subscriber = ${idSubscriber}`;
}
