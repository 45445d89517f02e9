import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { keepTargets, unsafeTargets } from '../targets/target-store.ts';
import type { Campaign } from './campaign.ts';

/** The targets of each campaign’s segments that are not safe, ascending; campaigns without any are absent. */
export async function unsafeTargetsOf(
  db: SiteDb,
  idCampaigns: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const used = await db.rows<{ idCampaign: number; ids: number[] }>(sql`
    select id_campaign as "idCampaign", array_agg(distinct id_target order by id_target) as ids
    from ${db.t.segment}
    where id_campaign = any(${idCampaigns}::int[])
    group by id_campaign`);
  const unsafe = new Set(
    await unsafeTargets(
      db,
      used.flatMap((one) => one.ids),
    ),
  );
  const found = used.map((one) => [one.idCampaign, one.ids.filter((id) => unsafe.has(id))] as const);
  return new Map(found.filter(([, ids]) => ids.length > 0));
}

/** Keeps the targets that a campaign names from being changed or deleted until the transaction ends. */
export async function keepTargetsOf(tx: SiteDb, { id, parameters }: Campaign): Promise<void> {
  const used = await tx.rows<{ id: number }>(sql`
    select id_target as id from ${tx.t.segment} where id_campaign = ${id}`);
  const tested = parameters.idTestTarget === null ? [] : [parameters.idTestTarget];
  await keepTargets(tx, [...used.map((one) => one.id), ...tested]);
}
