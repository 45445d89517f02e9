import type { Connection } from '../platform/db/database.ts';
import { empty, type Sql, sql } from '../platform/db/sql.ts';
import type { StoredAlert } from './alert.ts';
import { lockedLevel, suspendedLevel, type Verdict } from './complaint-rate.ts';

/** A sender's domain and a provider, of one site; the provider 0 is that of domains without one. */
export interface Pair {
  readonly idSite: number;
  readonly senderDomain: string;
  readonly idProvider: number;
}

const shown = (rest: Sql): Sql => sql`
  select a.id as "idSendingGroupRemoval", s.name as "siteName", a.sender_domain as "groupName",
    coalesce(p.name, 'Others') as "faiName", a.level, a.hours as "nbHours", a.nb_sent as "nbSent",
    a.nb_complaints as "nbComplaints", a.raised_at as "raisedAt", a.engaged_at as "engagedAt",
    a.engaged_by as "engagementEmail",
    a.activates_at as "activatesAt", a.ended_at as "endedAt"
  from facteur.alert a join facteur.site s on s.id = a.id_site
    left join facteur.provider p on p.id = a.id_provider
  ${rest}`;

/** An alert of one site. */
export async function findAlert(
  control: Connection,
  idSite: number,
  id: string,
): Promise<StoredAlert | undefined> {
  return control.first(shown(sql`where a.id = ${id}::uuid and a.id_site = ${idSite}`));
}

/** The newest alerts of all sites, at most `most`. */
export async function listAlertsOf(
  control: Connection,
  { isOpen, most }: { readonly isOpen: boolean; readonly most: number },
): Promise<StoredAlert[]> {
  const which = isOpen ? sql`where a.ended_at is null` : empty;
  return control.rows(shown(sql`${which} order by a.raised_at desc, a.id limit ${most}`));
}

/** Pairs whose messages wait, each with its alert. */
export async function suspendedPairs(
  control: Connection,
  at: Date,
): Promise<(Pair & { readonly id: string; readonly provider: string })[]> {
  return control.rows<Pair & { id: string; provider: string }>(sql`
    select a.id, a.id_site as "idSite", a.sender_domain as "senderDomain", a.id_provider as "idProvider",
      coalesce(p.name, 'Others') as provider
    from facteur.alert a left join facteur.provider p on p.id = a.id_provider
    where a.ended_at is null and a.level >= ${suspendedLevel} and (a.activates_at is null or a.activates_at > ${at})`);
}

/** The pairs of a site with an open alert. */
export async function openPairs(control: Connection, idSite: number): Promise<Pair[]> {
  return control.rows<Pair>(sql`
    select id_site as "idSite", sender_domain as "senderDomain", id_provider as "idProvider"
    from facteur.alert where id_site = ${idSite} and ended_at is null`);
}

/** Sites with an open alert. */
export async function sitesWithAlerts(control: Connection): Promise<number[]> {
  return control.values<number>(sql`
    select distinct id_site as id from facteur.alert where ended_at is null order by id`);
}

/** The time from which messages of a pair count: when sending resumed after the last unlock, if any. */
export async function countsSince(control: Connection, pair: Pair): Promise<Date | undefined> {
  const [at] = await control.values<Date>(sql`
    select activates_at from facteur.alert
    where ${ofPair(pair)} and activates_at is not null order by activates_at desc limit 1`);
  return at;
}

/**
 * Applies a verdict to the open alert of a pair: raises one, changes its level, or ends it. A locked alert changes only
 * when it is unlocked, and ends when sending resumes after that.
 * @returns the alert if it was raised, or has a higher level now
 */
export async function applyVerdict(
  tx: Connection,
  pair: Pair,
  { level, hours, nbSent, nbComplaints }: Verdict,
  at: Date,
): Promise<{ readonly id: string } | undefined> {
  await tx.run(sql`
    update facteur.alert set ended_at = ${at}
    where ${ofPair(pair)} and ended_at is null
      and case when level = ${lockedLevel} then activates_at <= ${at} else ${level} = 0 end`);
  if (level === 0) return undefined;
  // The row's lock serialises two processes; the second one sees the level that the first one has set.
  const row = await tx.first<{ id: string; isHigher: boolean }>(sql`
    with known as materialized (
      select id, level from facteur.alert where ${ofPair(pair)} and ended_at is null for update),
    changed as (
      update facteur.alert a
      set level = ${level}, hours = ${hours}, nb_sent = ${nbSent}, nb_complaints = ${nbComplaints},
        raised_at = case when known.level < ${level} then ${at} else a.raised_at end
      from known where a.id = known.id and known.level < ${lockedLevel}
      returning a.id, known.level < ${level} as "isHigher"),
    raised as (
      insert into facteur.alert (id_site, sender_domain, id_provider, level, hours, nb_sent, nb_complaints, raised_at)
      select ${pair.idSite}, ${pair.senderDomain}, ${pair.idProvider}, ${level}, ${hours}, ${nbSent}, ${nbComplaints},
        ${at}
      where not exists (select from known)
      on conflict (id_site, sender_domain, id_provider) where ended_at is null do nothing
      returning id, true as "isHigher")
    select * from changed union all select * from raised`);
  return row?.isHigher ? { id: row.id } : undefined;
}

/** Unlocks an alert of the highest level, unless it has been unlocked before. */
export async function engageAlert(
  control: Connection,
  { idSite, id }: { readonly idSite: number; readonly id: string },
  { by, at, activatesAt }: { readonly by: string; readonly at: Date; readonly activatesAt: Date },
): Promise<void> {
  await control.run(sql`
    update facteur.alert set engaged_at = ${at}, engaged_by = ${by}, activates_at = ${activatesAt}
    where id = ${id}::uuid and id_site = ${idSite} and level = ${lockedLevel} and ended_at is null
      and engaged_at is null`);
}

const ofPair = ({ idSite, senderDomain, idProvider }: Pair): Sql =>
  sql`id_site = ${idSite} and sender_domain = ${senderDomain} and id_provider = ${idProvider}`;
