import { bounced } from '../activity/counter-store.ts';
import { hitKinds } from '../activity/hit.ts';
import { judgedHits } from '../activity/hit-burst.ts';
import { machineClasses } from '../activity/hit-class.ts';
import { recipientsOf } from '../activity/provider-counter-store.ts';
import { receiptStates } from '../activity/receipt.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { empty, type Sql, sql } from '../platform/db/sql.ts';
import { Closed, Count, Id, type Static } from '../platform/http/schema.ts';
import { recipientsInStates, waitingRecipients } from '../sending/sent-store.ts';
import { Person } from '../subscribers/person.ts';
import { isAmong, type PeoplePage, pageWithText, type TextSearch } from '../subscribers/search-store.ts';
import { type OfProvider, repliesOf } from './replies.ts';

/** The figures whose recipients can be listed of a sending, and over the sendings of a period. */
export const periodFigures = [
  'nbAddressToSend',
  'nbAddressSent',
  'nbDelivered',
  'nbOpeners',
  'nbHumanOpeners',
  'nbClickers',
  'nbHumanClickers',
  'nbUnsubs',
  'nbHardBounces',
  'nbSoftBounces',
  'nbDnsErrorsBounces',
  'nbSpamBounces',
  'nbAutoRespondersBounces',
  'nbSpamComplaints',
  'nbRefused',
  'nbReturned',
] as const;
/** The figures of a sending whose recipients can be listed. */
export const peopleFigures = [...periodFigures, 'nbWithReply', 'nbWaiting', 'nbUntried'] as const;
export type PeopleFigure = (typeof peopleFigures)[number];

export interface PeopleWanted {
  readonly idSent: number;
  readonly figure: PeopleFigure;
  /** Only clickers of this tracked link; 0 means any. */
  readonly idLink: number;
  /** Only recipients with this reply, as `ServerReply` names it; of nbWithReply alone. */
  readonly reply?: string | undefined;
  /** Only recipients of this mailbox provider. */
  readonly provider?: OfProvider | undefined;
  /** Only people who have a text. */
  readonly search?: TextSearch | undefined;
  /** Only ids above this one. */
  readonly after: number;
  readonly most: number;
}

interface PartWanted extends Omit<PeopleWanted, 'search'>, PeoplePage {}

/**
 * The recipients that a figure of a sending counts, by id: exactly as many as the figure, and with a provider as many
 * as the figure of the provider (provider-counter-store.ts).
 */
export const peopleBehind = (db: SiteDb, wanted: PeopleWanted): Promise<Person[]> =>
  pageWithText(wanted.search, wanted, (page) => partBehind(db, { ...wanted, ...page }));

async function partBehind(db: SiteDb, wanted: PartWanted): Promise<Person[]> {
  const { idSent, figure, after, most, among } = wanted;
  // Replies are of a provider themselves (replies.ts).
  const provider = figure === 'nbWithReply' ? undefined : wanted.provider;
  if (!provider && (figure === 'nbAddressSent' || figure === 'nbDelivered')) return acceptedAmong(db, wanted);
  if (figure === 'nbWaiting' || figure === 'nbUntried') {
    const condition = provider ? isAtProvider(provider) : sql`true`;
    const isUntried = figure === 'nbUntried';
    return waitingRecipients(db, idSent, { isUntried, condition, after, limit: most, among });
  }
  const isWanted = isAmong(sql`id_subscriber`, among);
  const isOfProvider = (id: number) =>
    id === 0
      ? sql`not exists (select from recipient r where r.id_subscriber = one.id_subscriber and r.id_provider <> 0)`
      : sql`exists (select from recipient r where r.id_subscriber = one.id_subscriber and r.id_provider = ${id})`;
  return db.rows<Person>(sql`
    select p.id_subscriber as "idSubscriber", s.fld1 as email
    from (
      ${provider ? sql`with ${recipientsOf(db, idSent, provider.providers, isWanted)}` : empty}
      select distinct id_subscriber from (${queryOf(db, { ...wanted, figure })}) one
      where id_subscriber > ${after} and ${isWanted} ${provider ? sql`and ${isOfProvider(provider.id)}` : empty}
      order by id_subscriber limit ${most}) p
      left join ${db.t.subscriber} s on s.fld0 = p.id_subscriber
    order by p.id_subscriber`);
}

/** Whether the domain of a subscriber `s` belongs to a provider; that of a deleted one belongs to none. */
function isAtProvider({ id, providers }: OfProvider): Sql {
  const domains = [...providers].filter(([, one]) => id === 0 || one === id).map(([domain]) => domain);
  const isOfThem = sql`coalesce(s.fld37 = any(${domains}::text[]), false)`;
  return id === 0 ? sql`not ${isOfThem}` : isOfThem;
}

/** Whether a link with this id is or was tracked. */
export async function isTrackedLink(db: SiteDb, idLink: number): Promise<boolean> {
  return (await db.first(sql`select from ${db.t.tracked_link} where id = ${idLink}`)) !== undefined;
}

/**
 * Recipients of a message that was sent or delivered, as `sentAndBounced` and `deliveredOf` count them: accepted ones,
 * and others whose report proves it; of delivered messages without those that came back. A page reads the ranges of its
 * people, and the reports of the sending.
 */
async function acceptedAmong(db: SiteDb, wanted: PartWanted): Promise<Person[]> {
  const { idSent, figure, after, most, among } = wanted;
  const reported = await db.rows<Person & { isBounced: boolean }>(sql`
    select b.id_subscriber as "idSubscriber", s.fld1 as email,
      ${figure === 'nbDelivered'}::boolean and coalesce(gravest < 5, false) as "isBounced"
    from (${bounced(db, sql`array[${idSent}]::int[]`)}) b left join ${db.t.subscriber} s on s.fld0 = b.id_subscriber
    where b.id_subscriber > ${after} and ${isAmong(sql`b.id_subscriber`, among)}`);
  const isBounced = new Set(reported.filter((one) => one.isBounced).map(({ idSubscriber }) => idSubscriber));
  const found = new Map(
    reported.filter((one) => !one.isBounced).map(({ idSubscriber, email }) => [idSubscriber, email]),
  );
  let nbAccepted = 0;
  for (let from = after; nbAccepted < most; ) {
    const states = [receiptStates.accepted];
    const page = await recipientsInStates(db, idSent, { states, after: from, limit: most, among });
    for (const { idSubscriber, email } of page) {
      if (isBounced.has(idSubscriber)) continue;
      found.set(idSubscriber, email);
      nbAccepted += 1;
    }
    if (page.length < most) break;
    from = page.at(-1)!.idSubscriber;
  }
  const people = [...found].map(([idSubscriber, email]) => ({ idSubscriber, email }));
  return people.sort((a, b) => a.idSubscriber - b.idSubscriber).slice(0, most);
}

/** The figures whose people are recipients without a final state. */
type WaitingFigure = 'nbWaiting' | 'nbUntried';

interface QueryWanted extends PartWanted {
  readonly figure: Exclude<PeopleFigure, WaitingFigure>;
}

function queryOf(db: SiteDb, wanted: QueryWanted): Sql {
  const { idSent, figure, idLink, reply = '', provider } = wanted;
  const { t } = db;
  const ids = sql`array[${idSent}]::int[]`;
  const isHuman = sql`class <> all(${machineClasses}::smallint[])`;
  const isClick = sql`kind <> ${hitKinds.open}`;
  const hits = (condition: Sql) =>
    idLink > 0
      ? sql`select id_subscriber from ${t.hit} where id_sent = ${idSent} and id_link = ${idLink} and ${condition}`
      : sql`select id_subscriber from (${judgedHits(t, ids)}) hit where ${condition}`;
  const bounces = (condition: Sql) =>
    sql`select id_subscriber from (${bounced(db, ids)}) b where ${condition}`;
  // Read only with a provider, so `recipient` is a step of the statement.
  const sent = sql`
    select id_subscriber from recipient where is_accepted union select id_subscriber from (${bounced(db, ids)}) b`;
  const queries: Readonly<Record<QueryWanted['figure'], Sql>> = {
    nbAddressToSend: provider ? sql`select id_subscriber from recipient` : audienceOf(db, wanted),
    nbAddressSent: sent,
    nbDelivered: sql`${sent} except ${bounces(sql`gravest < 5`)}`,
    nbOpeners: hits(sql`true`),
    nbHumanOpeners: hits(isHuman),
    nbClickers: hits(isClick),
    nbHumanClickers: hits(sql`${isClick} and ${isHuman}`),
    nbUnsubs: sql`select id_subscriber from ${t.unsubscription} where id_sent = ${idSent}`,
    // In the order of `bounced`, the gravest first.
    nbHardBounces: bounces(sql`gravest = 1`),
    nbSpamBounces: bounces(sql`gravest = 2`),
    nbDnsErrorsBounces: bounces(sql`gravest = 3`),
    nbSoftBounces: bounces(sql`gravest = 4`),
    nbAutoRespondersBounces: bounces(sql`gravest = 5`),
    nbSpamComplaints: bounces(sql`complained`),
    nbWithReply: sql`select id_subscriber from (${repliesOf(db, idSent, provider)}) replies where reply = ${reply}`,
    nbReturned: bounces(sql`
      gravest < 5 and (is_accepted or exists (
        select from ${t.logged_outcome} o
        where o.id_job = (select id_job from ${t.sent} where id = ${idSent}) and o.id_sent = b.id_sent
          and o.id_subscriber = b.id_subscriber and o.state = ${receiptStates.accepted}))`),
    nbRefused: sql`
      select id_subscriber from ${t.receipt} where id_sent = ${idSent} and state = ${receiptStates.refused}`,
  };
  return queries[figure];
}

/**
 * A query of at least the next recipients of a sending above an id, and of some more. It reads the parts of the
 * audience up to the one where the next parts together have enough people. A page of a million recipients takes 20 ms;
 * with all parts it took a second and a half. A search reads the parts between its first and last id.
 */
function audienceOf({ t }: SiteDb, { idSent, after, most, among }: PartWanted): Sql {
  const part = sql`
    with part as (
      select subscribers, first_subscriber as first, last_subscriber as last from ${t.receipt_range}
      where id_sent = ${idSent} and last_subscriber > ${after}
      union all
      select subscribers, subscribers[1], subscribers[cardinality(subscribers)] from ${t.range_progress}
      where id_job = (select id_job from ${t.sent} where id = ${idSent}) and id_sent = ${idSent} and not is_done)`;
  // Some ids can be in any part.
  if (among)
    return sql`
      ${part}
      select unnest(subscribers) as id_subscriber from part
      where first <= ${among.at(-1)}::int and last >= ${among[0]}::int`;
  return sql`
    ${part},
    enough as (
      select min(last) as last
      from (
        select last, sum(cardinality(subscribers)) over (order by last) as n from part where first > ${after}) summed
      where n >= ${most})
    select unnest(subscribers) as id_subscriber from part
    where first <= coalesce((select last from enough), 2147483647)`;
}

/** A recipient behind a figure of a period. */
export const RecentPerson = Closed('RecentPerson', { idSent: Id('sent'), ...Person.properties });
type RecentPerson = Static<typeof RecentPerson>;

/** Where a page of people of a period begins. */
export const PeoplePlace = Closed('PeoplePlace', {
  sending: Count('The sending that it continues with'),
  after: Count('Only ids above this one within the sending'),
});
export type PeoplePlace = Static<typeof PeoplePlace>;

/** Sendings that are read for one page; the next page continues after them. */
export const sendingsAtOnce = 20;

interface RecentWanted extends Pick<PeopleWanted, 'figure' | 'most' | 'search'> {
  /** Only sendings of jobs that started from then on. */
  readonly since: Date;
  /** Undefined for the first page. */
  readonly from: PeoplePlace | undefined;
}

/**
 * A page of the recipients that a figure counts in the real sendings of a period, the newest sending first, each of
 * them by id. A page reads a few sendings at most, so it can be short or empty although others follow.
 */
export async function recentPeopleBehind(
  db: SiteDb,
  { figure, most, search, since, from }: RecentWanted,
): Promise<PageOfSendings> {
  const ids = await db.values<number>(sql`
    select s.id from ${db.t.sent} s join ${db.t.job} j on j.id = s.id_job
    where not j.is_test and j.started_at >= ${since} and s.id <= ${from?.sending ?? 2147483647}::int
    order by s.id desc limit ${sendingsAtOnce + 1}`);
  return peopleOfSendings(ids, { from, most }, (idSent, after, wanted) =>
    peopleBehind(db, { idSent, figure, idLink: 0, search, after, most: wanted }),
  );
}

/** People of several sendings, and the place of the next page; null after the last one. */
export interface PageOfSendings {
  readonly people: RecentPerson[];
  readonly next: PeoplePlace | null;
}

/**
 * A page of the people of sendings, one sending after the other.
 * @param ids the sending where the page begins and the next ones: one more than `sendingsAtOnce`, if there are so many
 * @param read returns the first `wanted` people of a sending above an id, by id
 */
export async function peopleOfSendings(
  ids: readonly number[],
  { from, most }: Pick<RecentWanted, 'from' | 'most'>,
  read: (idSent: number, after: number, wanted: number) => Promise<Person[]>,
): Promise<PageOfSendings> {
  const people: RecentPerson[] = [];
  for (const idSent of ids.slice(0, sendingsAtOnce)) {
    const after = idSent === from?.sending ? from.after : 0;
    const wanted = most - people.length;
    const found = await read(idSent, after, wanted);
    people.push(...found.map((person) => ({ idSent, ...person })));
    if (found.length === wanted)
      return { people, next: { sending: idSent, after: found.at(-1)!.idSubscriber } };
  }
  const following = ids[sendingsAtOnce];
  return { people, next: following === undefined ? null : { sending: following, after: 0 } };
}
