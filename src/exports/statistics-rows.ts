import { Readable } from 'node:stream';
import { listProviders, providersByDomain } from '../accounts/provider-store.ts';
import { bounceClasses } from '../activity/bounce.ts';
import { bounced } from '../activity/counter-store.ts';
import { hitKinds } from '../activity/hit.ts';
import { judgedHits } from '../activity/hit-burst.ts';
import { hitClasses, machineClasses } from '../activity/hit-class.ts';
import { countersByProvider } from '../activity/provider-counter-store.ts';
import { receiptStates } from '../activity/receipt.ts';
import { csvLine } from '../files/csv-reader.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { join, raw, type Sql, sql } from '../platform/db/sql.ts';
import { setDateOutput } from './date-output.ts';
import { copyRows, type ExportRows } from './export-rows.ts';
import type { StatisticsSettings } from './export-settings.ts';
import { escapedFormula, escapedValue } from './formula.ts';
import { type StatisticsRequest, type StatType, statTypes } from './statistics-export.ts';

interface Listing {
  readonly from: Sql;
  readonly columns: Readonly<Record<string, Sql>>;
  readonly orderBy: Sql;
}

/** A timestamp of Paris, as `setDateOutput` has it written. */
const time = (at: Sql): Sql => sql`date_trunc('second', ${at}::timestamp)`;
/** A number in the text of a statement: a COPY takes no parameters. */
const number = (value: number): Sql => raw(String(Math.trunc(value)));
const numbers = (values: readonly number[]): Sql => join(values.map(number));

/**
 * Reads the rows of a file of statistics in a transaction with one snapshot. They are the facts that the counters are
 * made of, so each list has as many rows as its counter says. Names and addresses that a spreadsheet would take for
 * formulas are escaped.
 */
export async function openStatistics(
  app: Pick<App, 'control'>,
  tx: SiteDb,
  { statistics: request, separator }: StatisticsSettings,
): Promise<ExportRows> {
  await chooseSents(tx, request);
  await chooseProviders(app, tx);
  await setDateOutput(tx);
  if (request.statType === statTypes.providers) return providerRows(app, tx, separator);
  const listing = listings[request.statType as ListedType](tx, request);
  const columns = { ...sentColumns, ...listing.columns };
  const query = sql`
    select ${join(Object.values(columns))}
    from pg_temp.export_sent e ${listing.from}
    order by e.id, ${listing.orderBy}`;
  return {
    header: csvLine(Object.keys(columns), { delimiter: separator, qualifier: '"', rowDelimiter: '\n' }),
    rows: await copyRows(tx, query, separator),
  };
}

/** The real sendings that the request names, and test mailings that it names by their job or sending. */
async function chooseSents(tx: SiteDb, { idCampaign, idJob, idSent }: StatisticsRequest): Promise<void> {
  await tx.run(sql`
    create temporary table export_sent (
      id int primary key, id_job int not null, id_campaign int not null, campaign text not null, segment text not null)
    on commit drop`);
  await tx.run(sql`
    insert into pg_temp.export_sent
    select s.id, j.id, j.id_campaign, j.campaign_name, s.segment_name
    from ${tx.t.sent} s join ${tx.t.job} j on j.id = s.id_job
    where ${idCampaign}::int in (0, j.id_campaign) and ${idJob}::int in (0, j.id) and ${idSent}::int in (0, s.id)
      and (not j.is_test or ${idJob > 0 || idSent > 0}::boolean)`);
  await tx.run(sql`analyze pg_temp.export_sent`);
}

async function chooseProviders(app: Pick<App, 'control'>, tx: SiteDb): Promise<void> {
  const providers = await listProviders(app.control);
  await tx.run(sql`create temporary table export_provider (id int primary key, name text) on commit drop`);
  await tx.run(sql`
    insert into pg_temp.export_provider
    select * from unnest(${providers.map(({ id }) => id)}::int[], ${providers.map(({ name }) => name)}::text[])`);
}

const sentColumns = {
  idCampaign: sql`e.id_campaign`,
  campaign: escapedValue(sql`e.campaign`),
  idJob: sql`e.id_job`,
  idSent: sql`e.id`,
  sending: escapedValue(sql`e.segment`),
};
const readerColumns = {
  idSubscriber: sql`r.id_subscriber`,
  email: escapedValue(sql`s.fld1`),
};
const withReader = (tx: SiteDb) => sql`left join ${tx.t.subscriber} s on s.fld0 = r.id_subscriber`;

const stateNames = Object.entries(receiptStates).map(
  ([name, state]) => sql`when ${number(state)} then ${raw(`'${name}'`)}`,
);

type ListedType = Exclude<StatType, typeof statTypes.providers>;

const listings: Readonly<Record<ListedType, (tx: SiteDb, request: StatisticsRequest) => Listing>> = {
  [statTypes.recipients]: recipients,
  [statTypes.openers]: openers,
  [statTypes.clickers]: clickers,
  [statTypes.links]: links,
  [statTypes.unsubscribed]: unsubscribed,
  [statTypes.hardBounces]: (tx) => bouncing(tx, sql`gravest = 1`, bounceClasses.hard),
  [statTypes.softBounces]: (tx) => bouncing(tx, sql`gravest = 4`, bounceClasses.soft),
  [statTypes.complaints]: (tx) => bouncing(tx, sql`complained`, bounceClasses.complaint),
  [statTypes.advertisements]: advertisements,
};

/** Lists the whole audience: a finished range is in its receipts, an unfinished one in the log. */
function recipients(tx: SiteDb): Listing {
  const { t } = tx;
  return {
    from: sql`
      join lateral (
        select id_subscriber, state, code, id_provider, at from ${t.receipt} where id_sent = e.id
        union all
        select one.id_subscriber, done.state, done.code, null, null
        from ${t.recipient_range} g cross join unnest(g.subscribers) one (id_subscriber)
          left join lateral (
            select o.state, o.code
            from ${t.send_log} l, unnest(l.outcomes, l.states, l.codes) o (id_subscriber, state, code)
            where l.id_job = g.id_job and l.range_number = g.number and o.id_subscriber = one.id_subscriber
            limit 1) done on true
        where g.id_job = e.id_job and g.id_sent = e.id and not g.is_done) r on true
      ${withReader(tx)}
      left join pg_temp.export_provider p on p.id = r.id_provider`,
    columns: {
      ...readerColumns,
      provider: escapedValue(sql`p.name`),
      state: sql`case r.state ${join(stateNames, ' ')} else 'pending' end`,
      code: sql`r.code`,
      date: time(sql`r.at`),
    },
    orderBy: sql`r.id_subscriber`,
  };
}

/** All hits of the sendings as the counters judge them: those that are part of a burst have that class. */
function hits(tx: SiteDb): Sql {
  return sql`(${withoutParameters(judgedHits(tx.t, sql`array(select id from pg_temp.export_sent)`))})`;
}

function openers(tx: SiteDb, { mpp = false }: StatisticsRequest): Listing {
  const isOpen = sql`kind = ${number(hitKinds.open)}`;
  const counts = mpp ? isOpen : sql`(${isOpen} and class <> ${number(hitClasses.mpp)})`;
  return {
    from: sql`
      join (
        select id_sent, id_subscriber, count(*) filter (where ${counts}) as opens,
          count(*) filter (where not ${isOpen}) as clicks,
          min(at) filter (where ${counts} or not ${isOpen}) as first_at, max(at) filter (where ${counts}) as last_at,
          bool_or(class <> all(array[${numbers(machineClasses)}]::smallint[]) and (${counts} or not ${isOpen}))
            as is_human
        from ${hits(tx)} hit group by id_sent, id_subscriber
      ) r on r.id_sent = e.id and (r.opens > 0 or r.clicks > 0)
      ${withReader(tx)}`,
    columns: {
      ...readerColumns,
      openings: sql`greatest(r.opens, 1)`,
      human: sql`r.is_human::int`,
      firstDate: time(sql`r.first_at`),
      lastDate: time(sql`coalesce(r.last_at, r.first_at)`),
    },
    orderBy: sql`r.id_subscriber`,
  };
}

const kindColumns = {
  clicks: sql`count(*)`,
  editorial: ofKind(hitKinds.editorial),
  advertisement: ofKind(hitKinds.advertisement),
  mirror: ofKind(hitKinds.mirror),
  unsubscription: ofKind(hitKinds.unsubscription),
  viral: sql`count(*) filter (where is_viral)`,
};

function ofKind(kind: number): Sql {
  return sql`count(*) filter (where kind = ${number(kind)} and not is_viral)`;
}

/** Clicks on links of the sendings, with what the link is; pages of the service have no link. */
function clicks(tx: SiteDb, { idLink, idPub }: StatisticsRequest): Sql {
  const { t } = tx;
  return sql`(
    select h.id_sent, h.id_subscriber, h.kind, h.class, h.is_viral, h.at, h.id_link, l.url, l.origin, l.id_advertisement
    from ${t.hit} h left join ${t.tracked_link} l on l.id = h.id_link
    where h.id_sent in (select id from pg_temp.export_sent) and h.kind <> ${number(hitKinds.open)}
      and ${idLink > 0 ? sql`h.id_link = ${number(idLink)}` : sql`true`}
      and ${idPub > 0 ? sql`l.id_advertisement = ${number(idPub)}` : sql`true`})`;
}

function clickers(tx: SiteDb, request: StatisticsRequest): Listing {
  const named = Object.entries(kindColumns).map(([name, value]) => sql`${value} as ${raw(name)}`);
  return {
    from: sql`
      join (
        select id_sent, id_subscriber, ${join(named)}, min(at) as first_at, max(at) as last_at
        from ${clicks(tx, request)} click group by id_sent, id_subscriber
      ) r on r.id_sent = e.id
      ${withReader(tx)}`,
    columns: {
      ...readerColumns,
      ...Object.fromEntries(Object.keys(kindColumns).map((name) => [name, sql`r.${raw(name)}`])),
      firstDate: time(sql`r.first_at`),
      lastDate: time(sql`r.last_at`),
    },
    orderBy: sql`r.id_subscriber`,
  };
}

const clickColumns = {
  clicks: sql`count(*)`,
  clickers: sql`count(distinct id_subscriber)`,
  humanClickers: sql`
    count(distinct id_subscriber) filter (where class <> all(array[${numbers(machineClasses)}]::smallint[]))`,
  viral: sql`count(*) filter (where is_viral)`,
};
const clickNames = Object.entries(clickColumns).map(([name, value]) => sql`${value} as ${raw(name)}`);
const shownClicks = Object.fromEntries(Object.keys(clickColumns).map((name) => [name, sql`r.${raw(name)}`]));

function links(tx: SiteDb, request: StatisticsRequest): Listing {
  return {
    from: sql`
      join (
        select id_sent, id_link, url, origin, id_advertisement, ${join(clickNames)}
        from ${clicks(tx, request)} click where id_link is not null
        group by id_sent, id_link, url, origin, id_advertisement
      ) r on r.id_sent = e.id`,
    columns: {
      idLink: sql`r.id_link`,
      url: escapedValue(sql`r.url`),
      origin: sql`r.origin`,
      idPub: sql`r.id_advertisement`,
      ...shownClicks,
    },
    orderBy: sql`r.id_link`,
  };
}

function advertisements(tx: SiteDb, request: StatisticsRequest): Listing {
  return {
    from: sql`
      join (
        select id_sent, id_advertisement, ${join(clickNames)}
        from ${clicks(tx, request)} click where id_advertisement is not null group by id_sent, id_advertisement
      ) r on r.id_sent = e.id
      left join ${tx.t.advertisement} a on a.id = r.id_advertisement`,
    columns: { idPub: sql`r.id_advertisement`, advertisement: escapedValue(sql`a.name`), ...shownClicks },
    orderBy: sql`r.id_advertisement`,
  };
}

function unsubscribed(tx: SiteDb): Listing {
  return {
    from: sql`join ${tx.t.unsubscription} r on r.id_sent = e.id ${withReader(tx)}`,
    columns: { ...readerColumns, origin: sql`r.origin`, date: time(sql`r.at`) },
    orderBy: sql`r.id_subscriber`,
  };
}

/** Recipients in one class, each once, with the report that was the first of it. */
function bouncing(tx: SiteDb, isOne: Sql, bounceClass: number): Listing {
  const all = withoutParameters(bounced(tx, sql`array(select id from pg_temp.export_sent)`));
  return {
    from: sql`
      join (${all}) r on r.id_sent = e.id and ${isOne}
      left join lateral (
        select status, diagnostic, at from ${tx.t.bounce} b
        where b.id_sent = r.id_sent and b.id_subscriber = r.id_subscriber and b.class = ${number(bounceClass)}
        order by b.id limit 1) report on true
      ${withReader(tx)}`,
    columns: {
      ...readerColumns,
      status: sql`report.status`,
      report: escapedValue(sql`left(report.diagnostic, 500)`),
      date: time(sql`report.at`),
    },
    orderBy: sql`r.id_subscriber`,
  };
}

/** The figures of each sending by provider, one sending after the other. */
async function providerRows(app: Pick<App, 'control'>, tx: SiteDb, delimiter: string): Promise<ExportRows> {
  const providers = await providersByDomain(app.control);
  const names = new Map((await listProviders(app.control)).map(({ id, name }) => [id, name]));
  const sents = await tx.rows<{
    id: number;
    idJob: number;
    idCampaign: number;
    campaign: string;
    segment: string;
  }>(
    sql`select id, id_job as "idJob", id_campaign as "idCampaign", campaign, segment
      from pg_temp.export_sent order by id`,
  );
  const shape = { delimiter, qualifier: '"', rowDelimiter: '\n' };
  const header = csvLine([...Object.keys(sentColumns), ...providerNames], shape);
  async function* lines(): AsyncGenerator<string> {
    for (const { id, idJob, idCampaign, campaign, segment } of sents) {
      const own = [idCampaign, escapedFormula(campaign), idJob, id, escapedFormula(segment)];
      for (const row of await countersByProvider(tx, id, providers)) {
        const figures: Readonly<Record<string, number | string>> = { ...row };
        const name = names.get(row.idProvider) ?? (row.idProvider === 0 ? 'Others' : '');
        const cells = providerNames.map((one) => (one === 'provider' ? escapedFormula(name) : figures[one]));
        yield csvLine([...own, ...cells].map(String), shape);
      }
    }
  }
  return { header, rows: Readable.from(lines(), { objectMode: false }) };
}

const providerNames = [
  ...['idProvider', 'provider', 'nbAddressToSend', 'nbAddressSent', 'nbDelivered', 'nbOpeners', 'nbOpenings'],
  ...['nbHumanOpeners', 'nbHumanOpenings', 'nbClickers', 'nbClicks', 'nbEditoClickers', 'nbEditoClicks'],
  ...['nbAdClickers', 'nbAdClicks', 'nbMirrorClickers', 'nbMirrorClicks', 'nbUnsubClickers', 'nbUnsubClicks'],
  ...['nbViralClickers', 'nbViralClicks', 'nbUnsubs', 'nbHardBounces', 'nbSoftBounces'],
  ...[
    'nbAutoRespondersBounces',
    'nbDnsErrorsBounces',
    'nbSpamBounces',
    'nbSpamComplaints',
    'dsn',
    'dsnCount',
  ],
];

/** Inlines a fragment's parameters, because a COPY takes none: they are numbers of ours, and lists of them. */
function withoutParameters(fragment: Sql): Sql {
  const literal = (value: unknown): string => {
    if (typeof value === 'number' && Number.isInteger(value)) return String(value);
    if (Array.isArray(value)) return `array[${value.map(literal).join(',')}]`;
    throw new Error('Only whole numbers are written into a statement');
  };
  return raw(
    fragment.text.replaceAll(/\$(\d+)/g, (_, at: string) => literal(fragment.values[Number(at) - 1])),
  );
}
