import { bounceClasses } from '../activity/bounce.ts';
import { codeIn } from '../activity/bounce-store.ts';
import { receiptStates } from '../activity/receipt.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { Closed, Count, type Static, Type } from '../platform/http/schema.ts';
import { deferredState } from '../sending/sent.ts';

/** Replies and reports with the same code. */
export const ServerReply = Closed('ServerReply', {
  reply: Type.String({
    description:
      'The SMTP code and the enhanced status, as far as they are known, for example `550 5.1.1`; `none` without both',
  }),
  text: Type.String({
    description:
      'The most frequent words of the mail servers; empty without words, as for messages that are retried',
  }),
  nbPeople: Count('Recipients with such a reply or report; one with several counts in each'),
});
export type ServerReply = Static<typeof ServerReply>;

const returned = [bounceClasses.hard, bounceClasses.soft, bounceClasses.dns, bounceClasses.spam];
/** Maximum number of different codes. */
const mostReplies = 100;

/** A mailbox provider, and the domains by which recipients of unfinished ranges belong to it. */
export interface OfProvider {
  /** 0 means recipients whose domain belongs to no provider. */
  readonly id: number;
  readonly providers: ReadonlyMap<string, number>;
}

/** Whether a recipient belongs to a provider: as their receipt says, otherwise by the domain of their address. */
const belongs = ({ t }: SiteDb, idSent: number, { id, providers }: OfProvider): Sql => sql`
  ${id}::int = coalesce(
    (select id_provider from ${t.receipt} r where r.id_sent = ${idSent} and r.id_subscriber = heard.id_subscriber),
    (select d.id_provider from ${t.subscriber} s
      join unnest(${[...providers.keys()]}::text[], ${[...providers.values()]}::int[]) d (name, id_provider)
        on d.name = s.fld37
      where s.fld0 = heard.id_subscriber),
    0)`;

/**
 * Rows (id_subscriber, reply, text): a reply or report about each recipient who was rejected, expired or bounced, and
 * the code of those who are deferred. Reads the failures and bounces of the sending by index, and the log of its open
 * ranges.
 * @param provider only recipients of this mailbox provider
 */
export function repliesOf(db: SiteDb, idSent: number, provider?: OfProvider): Sql {
  const { t } = db;
  const known = [...Object.values(receiptStates), deferredState];
  return sql`
    select id_subscriber, coalesce(nullif(concat_ws(' ', code, nullif(status, '')), ''), 'none') as reply,
      -- The code alone is what an erasure leaves of the words.
      nullif(text, code) as text
    from (
      select id_subscriber, ${codeIn(sql`text`)} as code, status, text
      from (
        select id_subscriber, status, reply as text from ${t.delivery_failure} where id_sent = ${idSent}
        union all
        select id_subscriber, status, diagnostic from ${t.bounce}
        where id_sent = ${idSent} and class = any(${returned}::smallint[])) stored
      union all
      select id_subscriber, nullif(code, 0)::text, '', ''
      from (
        -- As recipientsInStates: a deferral counts until there is a final state.
        select distinct on (o.id_subscriber) o.id_subscriber, o.state, o.code
        from ${t.recipient_range} r
          join ${t.send_log} l on l.id_job = r.id_job and l.range_number = r.number,
          unnest(l.outcomes, l.states, l.codes) o (id_subscriber, state, code)
        where r.id_job = (select id_job from ${t.sent} where id = ${idSent}) and r.id_sent = ${idSent}
          and not r.is_done and o.state = any(${known}::smallint[])
        order by o.id_subscriber, o.state = ${deferredState}, l.id desc) logged
      where state = ${deferredState}) heard
    ${provider ? sql`where ${belongs(db, idSent, provider)}` : sql``}`;
}

/** The replies of mail servers to a sending, or to the recipients of one provider, the most frequent first. */
export async function sumServerReplies(
  db: SiteDb,
  idSent: number,
  provider?: OfProvider,
): Promise<ServerReply[]> {
  return db.rows<ServerReply>(sql`
    select reply, coalesce(mode() within group (order by nullif(text, '')), '') as text,
      count(distinct id_subscriber)::int as "nbPeople"
    from (${repliesOf(db, idSent, provider)}) replies
    group by reply
    order by "nbPeople" desc, reply
    limit ${mostReplies}`);
}
