import { listProviders, providersByDomain } from '../accounts/provider-store.ts';
import { acts } from '../activity/act.ts';
import { countersOfSents } from '../activity/counter-store.ts';
import { type Counters, sumCounters } from '../activity/counters.ts';
import { hitKinds } from '../activity/hit.ts';
import { judgedHits } from '../activity/hit-burst.ts';
import { actChanges, hitColumns } from '../activity/hit-change.ts';
import { machineClasses } from '../activity/hit-class.ts';
import { countersByProvider } from '../activity/provider-counter-store.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { keptIn } from '../platform/remembered.ts';
import { sharedHtml } from '../sending/frozen-job.ts';
import { frozenJobOf } from '../sending/sent-store.ts';
import { type LinkStatistics, linkStatistics } from './click-figures.ts';
import { statisticsOverTime, type TimeStatistics } from './over-time.ts';

/** Maximum number of links and reasons in a report; all are in the files of exportStatistics. */
const mostLines = 50;

/** Opens, with and without those by mail privacy protection (MPP). */
export interface Opens {
  readonly openers: number;
  readonly openings: number;
}

export interface ReportProvider {
  readonly name: string;
  readonly counters: Counters;
  readonly openersWithoutMpp: number;
}

/** Reports of one class and status code. */
export interface BounceReason {
  /** A class of bounces (activity/bounce.ts). */
  readonly class: number;
  readonly status: string;
  readonly count: number;
}

/** The sendings of a report. */
export interface Reported {
  readonly idJob: number;
  readonly campaign: string;
  readonly subject: string;
  readonly sender: string;
  readonly startedAt: Date | null;
  readonly idsSent: readonly number[];
  readonly nbAddressToSend: number;
}

/** The content of a report, frozen when it is made. Instants are ISO 8601. */
export interface ReportFigures extends Omit<Reported, 'startedAt' | 'idsSent'> {
  readonly site: string;
  readonly startedAt: string | null;
  readonly madeAt: string;
  readonly expiresAt: string;
  /** Whether opens by MPP are shown initially. */
  readonly mpp: boolean;
  readonly counters: Counters;
  readonly withoutMpp: Opens;
  /** Recipients with a click that was not by a machine. */
  readonly humanClickers: number;
  readonly hours: readonly TimeStatistics[];
  readonly days: readonly TimeStatistics[];
  readonly providers: readonly ReportProvider[];
  readonly links: readonly LinkStatistics[];
  readonly reasons: readonly BounceReason[];
}

/** A job, or one of its sendings; undefined if the job has no such sending, or none yet. @param idSent 0 means all */
export async function reportedOf(db: SiteDb, idJob: number, idSent: number): Promise<Reported | undefined> {
  const { t } = db;
  return db.first<Reported>(sql`
    select j.id as "idJob", j.campaign_name as campaign, j.subject, coalesce(j.sender_domain, '') as sender,
      j.started_at as "startedAt", array_agg(s.id order by s.id) as "idsSent",
      sum(s.nb_address_to_send)::int as "nbAddressToSend"
    from ${t.job} j join ${t.sent} s on s.id_job = j.id
    where j.id = ${idJob} and ${idSent} in (0, s.id)
    group by j.id`);
}

/** Reads all figures of a report. The cost grows with the recipients and hits of its sendings. */
export async function reportFigures(
  app: App,
  db: SiteDb,
  of: Reported,
  { mpp, madeAt, expiresAt }: { readonly mpp: boolean; readonly madeAt: Date; readonly expiresAt: Date },
): Promise<ReportFigures> {
  const { idsSent, startedAt, ...about } = of;
  const counters = await countersOfSents(db, idsSent);
  return {
    ...about,
    site: db.site.name,
    startedAt: startedAt?.toISOString() ?? null,
    madeAt: madeAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    mpp,
    counters: sumCounters(counters.values()),
    withoutMpp: await opensWithoutMpp(db, idsSent),
    humanClickers: await humanClickers(db, idsSent),
    hours: await statisticsOverTime(db, idsSent, 'hour'),
    days: await statisticsOverTime(db, idsSent, 'day'),
    providers: await providersOf(app, db, idsSent),
    links: (await linkStatistics(db, idsSent)).slice(0, mostLines),
    reasons: await reasonsOf(db, idsSent),
  };
}

/** The message of the first sending with the share of clickers at each link; undefined for text messages. */
export async function clickMap(
  db: SiteDb,
  idsSent: readonly number[],
  links: readonly LinkStatistics[],
): Promise<string | undefined> {
  const first = idsSent[0];
  const frozen = first === undefined ? undefined : await frozenJobOf(db, first);
  const html = frozen && sharedHtml(frozen, first!, (idLink) => `#link-${idLink}`);
  if (html === undefined) return undefined;
  const all = links.reduce((sum, one) => sum + one.nbClickers, 0);
  const badges = links.map(({ idLink, nbClickers }) => {
    const percent = all === 0 ? 0 : Math.round((nbClickers / all) * 1000) / 10;
    return `a[href="#link-${idLink}"]::after{content:"${percent} % (${nbClickers})"}`;
  });
  // It contains only our own ids and numbers.
  return `${html}<style>${badgeStyle}${badges.join('')}</style>`;
}

const badgeStyle =
  'a[href^="#link-"]{position:relative;outline:2px solid #2f54c9;outline-offset:1px}' +
  'a[href^="#link-"]::after{position:absolute;z-index:9;left:0;top:-1.4em;padding:0 5px;border-radius:3px;' +
  'background:#2f54c9;color:#fff;font:600 11px/1.5 system-ui,sans-serif;white-space:nowrap;text-indent:0}';

async function opensWithoutMpp(db: SiteDb, idsSent: readonly number[]): Promise<Opens> {
  return db.one<Opens>(sql`
    ${plainOpens(db, idsSent)}
    select count(distinct (id_sent, id_subscriber))::int as openers, coalesce(sum(n), 0)::int as openings from act`);
}

async function humanClickers(db: SiteDb, idsSent: readonly number[]): Promise<number> {
  return db.value<number>(sql`
    select count(distinct (id_sent, id_subscriber))::int as n
    from (${judgedHits(db.t, sql`${[...idsSent]}::int[]`)}) hit
    where kind <> ${hitKinds.open} and class <> all(${machineClasses}::smallint[])`);
}

const plainOpens = ({ t }: SiteDb, idsSent: readonly number[]) => sql`
  with judged as materialized (
    select ${hitColumns}, false as before, true as after
    from (${judgedHits(t, sql`${[...idsSent]}::int[]`)}) hit),
  act as (${actChanges(sql`judged`, [acts.openWithoutMpp])})`;

async function providersOf(app: App, db: SiteDb, idsSent: readonly number[]): Promise<ReportProvider[]> {
  const names = new Map((await listProviders(app.control)).map(({ id, name }) => [id, name]));
  const byDomain = await providersByDomain(app.control);
  const counters = new Map<number, Counters[]>();
  for (const idSent of idsSent)
    for (const one of await countersByProvider(db, idSent, byDomain))
      keptIn(counters, one.idProvider, () => []).push(one);
  const opened = await openersByProvider(db, idsSent);
  return [...counters]
    .map(([idProvider, own]) => ({
      name: names.get(idProvider) ?? '',
      counters: sumCounters(own),
      openersWithoutMpp: opened.get(idProvider) ?? 0,
    }))
    .sort((a, b) => b.counters.nbAddressSent - a.counters.nbAddressSent);
}

async function openersByProvider(db: SiteDb, idsSent: readonly number[]): Promise<Map<number, number>> {
  const rows = await db.rows<{ idProvider: number; n: number }>(sql`
    ${plainOpens(db, idsSent)},
    opener as (select distinct id_sent, id_subscriber from act)
    select coalesce(r.id_provider, d.id_provider, 0) as "idProvider", count(*)::int as n
    from opener o
      left join ${db.t.receipt} r on r.id_sent = o.id_sent and r.id_subscriber = o.id_subscriber
      left join ${db.t.subscriber} s on s.fld0 = o.id_subscriber
      left join facteur.provider_domain d on d.domain = s.fld37
    group by 1`);
  return new Map(rows.map(({ idProvider, n }) => [idProvider, n]));
}

async function reasonsOf(db: SiteDb, idsSent: readonly number[]): Promise<BounceReason[]> {
  return db.rows<BounceReason>(sql`
    select class, status, count(distinct (id_sent, id_subscriber))::int as count
    from ${db.t.bounce} where id_sent = any(${[...idsSent]}::int[])
    group by class, status
    order by count desc, class, status
    limit ${mostLines}`);
}
