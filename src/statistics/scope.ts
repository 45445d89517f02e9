import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { invalid, notFound } from '../platform/http/refusal.ts';
import { Count, IdOf, type Static, Type } from '../platform/http/schema.ts';

/** The sendings of figures: all given values restrict together. */
export const ScopeQuery = {
  idCampaign: Type.Optional(IdOf('campaign', Count('Sendings of this campaign; 0: any'))),
  idJob: Type.Optional(IdOf('job', Count('Sendings of this job; 0: any'))),
  idSent: Type.Optional(IdOf('sent', Count('This sending; 0: any'))),
};
const Scope = Type.Object(ScopeQuery);
export type Scope = Static<typeof Scope>;

/**
 * The ids of the sendings that a call names. Test mailings count only if the job or sending is named.
 * @throws 400 when nothing is given, 404 for a nonexistent record
 */
export async function sentsOf(db: SiteDb, scope: Scope): Promise<number[]> {
  const { idCampaign = 0, idJob = 0, idSent = 0 } = scope;
  if (idCampaign + idJob + idSent === 0) throw invalid('idCampaign: give idCampaign, idJob or idSent');
  const { t } = db;
  const named = [
    ['Campaign', t.campaign, idCampaign],
    ['Job', t.job, idJob],
    ['Sending', t.sent, idSent],
  ] as const;
  for (const [what, table, id] of named)
    if (id > 0 && !(await db.first(sql`select from ${table} where id = ${id}`))) throw notFound(what);
  return db.values<number>(sql`
    select s.id from ${t.sent} s join ${t.job} j on j.id = s.id_job
    where ${idSent} in (0, s.id) and ${idJob} in (0, j.id) and ${idCampaign} in (0, j.id_campaign)
      and (not j.is_test or ${idJob + idSent > 0}::boolean)
    order by s.id`);
}
