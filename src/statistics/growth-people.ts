import { Temporal } from 'temporal-polyfill';
import { bounceClasses } from '../activity/bounce.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { empty, isoTime, join, type Sql, sql } from '../platform/db/sql.ts';
import { Closed, type Static, Timestamp } from '../platform/http/schema.ts';
import { startOfParisDay } from '../platform/paris-time.ts';
import { mayReceive } from '../subscribers/eligibility.ts';
import { type GrowthOf, growthBetween } from '../subscribers/growth-store.ts';
import { Person } from '../subscribers/person.ts';
import { prepareSearch, textCondition } from '../subscribers/search-store.ts';
import { causeNamed, type ListedCause } from './growth.ts';

/** Only nbLeft can be narrowed to a cause or a sending. */
export const growthFigures = ['nbLeft', 'nbJoined'] as const;
export type GrowthFigure = (typeof growthFigures)[number];

/** A person who joined or left. */
export const GrowthPerson = Closed('GrowthPerson', {
  ...Person.properties,
  date: Timestamp('When they joined or left, by the dates of their profile'),
});
type GrowthPerson = Static<typeof GrowthPerson>;

interface GrowthWanted extends Pick<GrowthOf, 'firstDay' | 'lastDay'> {
  readonly figure: GrowthFigure;
  readonly causes?: readonly ListedCause[] | undefined;
  readonly idSent?: number | undefined;
  /** Only people who have this text. */
  readonly search?: string | undefined;
  readonly before?: GrowthPlace | undefined;
  readonly limit: number;
}

/** The place of a person in the list. */
export interface GrowthPlace {
  /** With microseconds. */
  readonly at: string;
  readonly id: number;
}

interface GrowthPeople {
  /** The figure. */
  readonly nbCounted: number;
  /** How many the whole list has. */
  readonly nbListed: number;
  readonly people: GrowthPerson[];
  readonly next: GrowthPlace | undefined;
}

/** The last subscription. */
const joinedAt = sql`greatest(fld2, fld3)`;
/** The unsubscription, the hard bounce or the complaint by which a person is not eligible now, the first of them. */
const leftAt = sql`least(case when fld7 = 1 then fld4 end, case when fld44 in (2, 3) then fld45 end)`;

/**
 * A page of those who joined or left in a period as their profiles say now, the newest first. People who joined and
 * left since are listed as both; those who left and came back since only as joined. The counts are of all pages. A
 * page reads the subscribers twice, one after the other: an index of the dates would slow down every import.
 */
export async function growthPeople(site: SiteDb, wanted: GrowthWanted): Promise<GrowthPeople> {
  await prepareSearch(site, wanted.search);
  return site.transaction((db) => readPage(db, wanted));
}

async function readPage(db: SiteDb, wanted: GrowthWanted): Promise<GrowthPeople> {
  const { figure, causes, idSent, search, before, limit } = wanted;
  const counted = await growthBetween(db, {
    ...wanted,
    causes: causes?.map(causeNamed),
    idSource: idSent,
  });
  const at = atOf(figure);
  const isListed = sql`${conditionOf(db, wanted)} and ${await textCondition(db, search)}`;
  const nbListed = await db.value<number>(sql`
    select count(*)::int as n from ${db.t.subscriber} where ${isListed}`);
  const isBefore = before ? sql`(${at}, fld0) < (${before.at}::timestamptz, ${before.id}::int)` : sql`true`;
  const rows = await db.rows<GrowthPerson & { place: string }>(sql`
    select fld0 as "idSubscriber", fld1 as email, ${isoTime(sql`at`)} as date,
      to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as place
    from (
      select fld0, fld1, ${at} as at from ${db.t.subscriber} where ${isListed} and ${isBefore}
      order by 3 desc, fld0 desc limit ${limit + 1}::int) page
    order by at desc, fld0 desc`);
  const people = rows.slice(0, limit).map(({ place: _, ...person }) => person);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    ...{ nbCounted: counted[figure], nbListed, people },
    next: last && { at: last.place, id: last.idSubscriber },
  };
}

const atOf = (figure: GrowthFigure): Sql => (figure === 'nbJoined' ? joinedAt : leftAt);

/** Whether a person is in the list. */
function conditionOf(db: SiteDb, { figure, firstDay, lastDay, causes, idSent }: GrowthWanted): Sql {
  const from = startOfParisDay(Temporal.PlainDate.from(firstDay));
  const to = startOfParisDay(Temporal.PlainDate.from(lastDay).add({ days: 1 }));
  // People who were created unsubscribed have neither joined nor left.
  const hasTurned =
    figure === 'nbJoined'
      ? sql`(${mayReceive()} or ${leftAt} > ${joinedAt})`
      : sql`coalesce(fld2 < ${leftAt}, true)`;
  const at = atOf(figure);
  return sql`${at} >= ${from} and ${at} < ${to} and ${hasTurned}
    ${
      causes
        ? sql`and (${join(
            causes.map((cause) => isBy(db, cause, idSent)),
            ' or ',
          )})`
        : empty
    }`;
}

/** Whether a person left by a cause, and by this sending. */
function isBy({ t }: SiteDb, cause: ListedCause, idSent = 0): Sql {
  const isOfSent = sql`(${idSent}::int = 0 or id_sent = ${idSent}::int)`;
  if (cause === 'Page' || cause === 'OneClick')
    return sql`(fld0, ${leftAt}) in (
      select id_subscriber, at from ${t.unsubscription} where origin = ${causeNamed(cause)} and ${isOfSent})`;
  const isComplaint = cause === 'Complaint';
  // By its time too: a person can have bounced in several sendings, and the first one made them leave.
  const reported = sql`
    select id_subscriber, at from ${t.bounce}
    where id_sent = ${idSent}::int and class = ${bounceClasses[isComplaint ? 'complaint' : 'hard']}`;
  return sql`(fld44 = ${isComplaint ? 3 : 2} and ${leftAt} = fld45
    and (${idSent}::int = 0 or (fld0, fld45) in (${reported})))`;
}
