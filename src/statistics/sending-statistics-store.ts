import { countersOfSents, type Device } from '../activity/counter-store.ts';
import { noCounters } from '../activity/counters.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import { godsonsOfSents } from '../sending/forward-store.ts';
import { type MultiSendingStatistics, type SendingRow, showMultiSending } from './sending-statistics.ts';

/** The statistics of one sending, test mailings included; undefined for an unknown id. */
export async function sendingStatistics(
  db: SiteDb,
  idSent: number,
  device: Device | undefined,
): Promise<MultiSendingStatistics | undefined> {
  return (await listStatistics(db, sql`s.id = ${idSent}`, device))[0];
}

const dayMs = 86_400_000;

/**
 * The statistics of the real sendings that started in the last `nbDays` days of 24 hours, oldest first.
 * @param idCampaign only the sendings of this campaign
 */
export async function recentSendingStatistics(
  db: SiteDb,
  { nbDays, now, idCampaign }: { readonly nbDays: number; readonly now: Date; readonly idCampaign?: number },
  device: Device | undefined,
): Promise<MultiSendingStatistics[]> {
  const since = new Date(now.getTime() - nbDays * dayMs);
  const isOfCampaign = idCampaign === undefined ? sql`true` : sql`j.id_campaign = ${idCampaign}`;
  return listStatistics(db, sql`not j.is_test and s.started_at >= ${since} and ${isOfCampaign}`, device);
}

async function listStatistics(
  db: SiteDb,
  condition: Sql,
  device: Device | undefined,
): Promise<MultiSendingStatistics[]> {
  const rows = await listRows(db, condition);
  const ids = rows.map(({ idSent }) => idSent);
  const counters = await countersOfSents(db, ids, device);
  const godsons = await godsonsOfSents(db, ids);
  return rows.map((row) =>
    showMultiSending(row, counters.get(row.idSent) ?? noCounters, godsons.get(row.idSent) ?? 0),
  );
}

/**
 * The descriptions of sendings. A job's frozen messages are read once for all its sendings, and only the few short
 * values are kept: the contents have megabytes.
 */
async function listRows(db: SiteDb, condition: Sql): Promise<SendingRow[]> {
  const { t } = db;
  return db.rows<SendingRow>(sql`
    with chosen as materialized (
      select s.*, j.id_campaign, j.campaign_name, j.subject
      from ${t.sent} s join ${t.job} j on j.id = s.id_job
      where ${condition}),
    frozen as materialized (
      select j.id as id_job, (one #>> '{conf,idSent}')::int as id_sent, one ->> 'subject' as subject,
        coalesce(one ->> 'senderAlias', f.source #>> '{from,alias}') as sender_alias,
        f.source #>> '{from,email}' as sender, f.source #>> '{replyTo,email}' as response,
        f.source #>> '{replyTo,alias}' as response_alias, f.source ->> 'text' <> '' as has_text,
        f."sendingSpeed" as speed, f.configuration
      from ${t.job} j
        cross join lateral jsonb_to_record(j.frozen)
          as f (source jsonb, sents jsonb, remainder jsonb, "sendingSpeed" int, configuration jsonb)
        cross join lateral jsonb_array_elements(f.sents || jsonb_build_array(f.remainder)) one
      where j.id in (select id_job from chosen) and jsonb_typeof(one) = 'object')
    select s.id as "idSent", s.id_job as "idJob", s.id_campaign as "idCampaign", s.id_sending as "idSending",
      s.campaign_name as "campaignName", s.started_at as "startDate", s.ended_at as "endDate",
      coalesce(f.subject, s.subject) as "mailObject", s.segment_name as "sendingName",
      coalesce(c.parameters ->> 'type', 'Unknown') as "campType",
      coalesce(c.parameters ->> 'mode', 'Unknown') as "campMode",
      jsonb_array_length(s.advertisements) as "nbPubsInsert", coalesce(f.speed, 0) as "genSpeed",
      coalesce(f.has_text, false) as "hasTxtMsg", s.position as "sendingPosition",
      (s.parameters ->> 'isRandom')::boolean as "isRandom", (s.parameters ->> 'percent')::int as "pctAddressChoosen",
      coalesce((f.configuration ->> 'id')::int, g.id) as "idConfig",
      coalesce(f.configuration ->> 'name', g.name, '') as "configName",
      coalesce(f.sender, '') as "expMail", coalesce(f.sender_alias, '') as "expName",
      coalesce(f.response, '') as "responseMail", coalesce(f.response_alias, '') as "responseName",
      s.id_target as "idFilter", s.filter_name as "filterName", s.nb_address_to_send as "nbAddressToSend"
    from chosen s
    join ${t.campaign} c on c.id = s.id_campaign
    left join frozen f on f.id_sent = s.id
    left join ${t.sending_configuration} g on g.id = (c.parameters ->> 'idConfiguration')::int
    order by s.id`);
}
