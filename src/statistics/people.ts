import { bounced } from '../activity/counter-store.ts';
import { hitKinds } from '../activity/hit.ts';
import { judgedHits } from '../activity/hit-burst.ts';
import { machineClasses } from '../activity/hit-class.ts';
import { receiptStates } from '../activity/receipt.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import type { Person } from '../subscribers/person.ts';

/** The figures of a sending whose recipients can be listed. */
export const peopleFigures = [
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
] as const;
export type PeopleFigure = (typeof peopleFigures)[number];

export interface PeopleWanted {
  readonly idSent: number;
  readonly figure: PeopleFigure;
  /** Only clickers of this tracked link; 0 means any. */
  readonly idLink: number;
  /** Only ids above this one. */
  readonly after: number;
  readonly most: number;
}

/** The recipients that a figure of a sending counts, by id: exactly as many as the figure. */
export async function peopleBehind(db: SiteDb, wanted: PeopleWanted): Promise<Person[]> {
  const { after, most } = wanted;
  return db.rows<Person>(sql`
    select p.id_subscriber as "idSubscriber", s.fld1 as email
    from (
      select distinct id_subscriber from (${queryOf(db, wanted)}) one where id_subscriber > ${after}
      order by id_subscriber limit ${most}) p
      left join ${db.t.subscriber} s on s.fld0 = p.id_subscriber
    order by p.id_subscriber`);
}

/** Whether a link with this id is or was tracked. */
export async function isTrackedLink(db: SiteDb, idLink: number): Promise<boolean> {
  return (await db.first(sql`select from ${db.t.tracked_link} where id = ${idLink}`)) !== undefined;
}

function queryOf(db: SiteDb, { idSent, figure, idLink }: PeopleWanted): Sql {
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
  const queries: Readonly<Record<PeopleFigure, Sql>> = {
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
    nbRefused: sql`
      select id_subscriber from ${t.receipt} where id_sent = ${idSent} and state = ${receiptStates.refused}`,
  };
  return queries[figure];
}
