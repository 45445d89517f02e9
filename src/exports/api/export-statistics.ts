import { advertisements } from '../../contents/advertisement-store.ts';
import { defaultRepository } from '../../files/repository-store.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { sql } from '../../platform/db/sql.ts';
import { siteAction } from '../../platform/http/operation.ts';
import { invalid, notFound } from '../../platform/http/refusal.ts';
import { Query } from '../../platform/http/schema.ts';
import { insertExport } from '../export-store.ts';
import { StatisticsQuery, type StatisticsRequest, statisticsFault } from '../statistics-export.ts';
import { addRun } from '../tasks/run-export.ts';

export const exportStatistics = siteAction({
  id: 'exportStatistics',
  method: 'POST',
  path: '/statistics/export',
  right: 'write',
  tag: 'Statistics',
  summary: 'Export statistics to a file',
  description:
    'The file `statistics_<idsite>_<idExportJob>_<yyyyMMddHHmmss>.csv` is put into the default repository of the ' +
    'site as soon as a worker is free. It is an export: getExport and listExports show it, it counts among the ten ' +
    'that may be under way, and an email reports its end. Includes test mailings only if their job or sending is ' +
    'named.',
  query: Query(StatisticsQuery),
  refusals: [404],
  async handle({ db, query, caller, now }) {
    const fault = statisticsFault(query);
    if (fault !== undefined) throw invalid(fault);
    await db.transaction(async (tx) => {
      await checkReferences(tx, query);
      const idRepository = await defaultRepository(tx);
      const of = { idUser: caller.idUser, request: query, idRepository, at: now };
      await addRun(tx, await insertExport(tx, of));
    });
  },
});

/** @throws 404 for a record that does not exist, or does not belong to the others */
async function checkReferences(tx: SiteDb, request: StatisticsRequest): Promise<void> {
  const { idCampaign, idJob, idSent, idLink, idPub } = request;
  const { campaign, job, sent } = tx.t;
  const found = await tx.one<{ campaign: boolean; job: boolean; sent: boolean; link: boolean }>(sql`
    select ${idCampaign}::int = 0 or exists (select from ${campaign} where id = ${idCampaign}::int) as campaign,
      ${idJob}::int = 0 or exists (
        select from ${job} where id = ${idJob}::int and ${idCampaign}::int in (0, id_campaign)) as job,
      ${idSent}::int = 0 or exists (
        select from ${sent} s join ${job} j on j.id = s.id_job
        where s.id = ${idSent}::int and ${idJob}::int in (0, j.id)
          and ${idCampaign}::int in (0, j.id_campaign)) as sent,
      ${idLink}::bigint = 0 or exists (
        select from ${tx.t.tracked_link}
        where id = ${idLink}::bigint and ${idCampaign}::int in (0, id_campaign)) as link`);
  if (!found.campaign) throw notFound('Campaign', 'idCampaign');
  if (!found.job) throw notFound('Job', 'idJob');
  if (!found.sent) throw notFound('Sent', 'idSent');
  if (!found.link) throw notFound('Tracked link', 'idLink');
  if (idPub > 0) await advertisements.get(tx, idPub, 'idPub');
}
