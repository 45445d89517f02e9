import { humanOpenersIn, isReal } from '../activity/hit-change.ts';
import { isFailure } from '../activity/provider-day-store.ts';
import { longestRangeS, receiptStates } from '../activity/receipt.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import type { Person } from '../subscribers/person.ts';
import { isAmong, type PeoplePage, pageWithText, type TextSearch } from '../subscribers/search-store.ts';
import { type PageOfSendings, type PeoplePlace, peopleOfSendings, sendingsAtOnce } from './people.ts';

/** The figures of the sums by provider (provider-day-store.ts) whose recipients can be listed. */
export const providerFigures = ['nbSent', 'nbNotDelivered', 'nbHumanOpeners'] as const;

interface ProviderPeopleWanted {
  readonly figure: (typeof providerFigures)[number];
  /** 0 means recipients whose domain belongs to no provider. */
  readonly idsProvider: readonly number[];
  /** Only receipts from then on. */
  readonly since: Date;
  /** Only people who have a text. */
  readonly search?: TextSearch | undefined;
  /** Undefined for the first page. */
  readonly from: PeoplePlace | undefined;
  readonly most: number;
}

/**
 * A page of the recipients that a sum by provider counts over the days from `since` on, which begins a day in Paris:
 * the newest sending first, each of them by id. It reads what the sums have aggregated, so it has as many people as
 * they count. A page reads the receipts of a few sendings.
 */
export async function providerPeople(db: SiteDb, wanted: ProviderPeopleWanted): Promise<PageOfSendings> {
  const { since, search, from, most } = wanted;
  const { t } = db;
  // By the index of the first moments: no range is longer.
  const earliest = new Date(since.getTime() - longestRangeS * 1000);
  const ids = await db.values<number>(sql`
    select distinct id_sent from ${t.receipt_range}
    where is_counted and first_at >= ${earliest} and last_at >= ${since}
      and id_sent <= ${from?.sending ?? 2147483647}::int and ${isReal(t)}
    order by id_sent desc limit ${sendingsAtOnce + 1}`);
  const read = (idSent: number, { after, most: limit, among }: PeoplePage) =>
    db.rows<Person>(sql`
      with span as materialized (
        select * from ${t.receipt_range}
        where id_sent = ${idSent} and is_counted and last_at >= ${since} and last_subscriber > ${after}),
      receipt as (
        select one.id, one.state
        from span cross join unnest(subscribers, id_providers, states, delays) one (id, id_provider, state, delay)
        where one.id > ${after} and ${isAmong(sql`one.id`, among)}
          and id_provider = any(${[...wanted.idsProvider]}::int[])
          and state <> ${receiptStates.cancelled} and first_at + delay * interval '1 millisecond' >= ${since}),
      counted as (
        select id from receipt where ${conditionOf(db, idSent, wanted)} order by id limit ${limit})
      select id as "idSubscriber", s.fld1 as email
      from counted left join ${t.subscriber} s on s.fld0 = id
      order by id`);
  return peopleOfSendings(ids, { from, most }, (idSent, after, limit) =>
    pageWithText(search, { after, most: limit }, (page) => read(idSent, page)),
  );
}

/** Whether a figure counts a row of `receipt`. */
function conditionOf({ t }: SiteDb, idSent: number, { figure }: ProviderPeopleWanted): Sql {
  const { accepted, refused, expired, uncertain } = receiptStates;
  if (figure === 'nbSent') return sql`true`;
  if (figure === 'nbHumanOpeners')
    return sql`id in (select id_subscriber from (${humanOpenersIn(t, sql`span`)}) opener)`;
  return sql`(state in (${refused}, ${expired}) or state in (${accepted}, ${uncertain}) and id in (
    select id_subscriber from ${t.bounce}
    where id_sent = ${idSent} and is_counted and not is_refusal and ${isFailure}))`;
}
