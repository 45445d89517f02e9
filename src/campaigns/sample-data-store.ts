import { dropFavourites } from '../contents/favourite-store.ts';
import { replaceDirectories } from '../contents/object-directory-store.ts';
import { advisoryLock } from '../platform/db/database.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import { conflict, found } from '../platform/http/refusal.ts';
import { sampleDomain } from '../subscribers/sample-people.ts';
import { insertSamplePeople, removeSamplePeople } from '../subscribers/sample-people-store.ts';
import { setFilter } from '../targets/filter-store.ts';
import { type Author, deleteTargetRow, findTarget, insertTarget } from '../targets/target-store.ts';
import { insertCampaign, lockCampaign, updateCampaign } from './campaign-store.ts';
import { type RemovedSampleData, type SampleData, type SampleTexts, sampleCampaign } from './sample-data.ts';
import { isPlanned } from './schedule-state.ts';
import { insertSegment } from './segment-store.ts';

/** The sample data of the site; undefined if it has none. */
export async function findSampleData(db: SiteDb): Promise<SampleData | undefined> {
  const { t } = db;
  return db.first<SampleData>(sql`
    select created_at as "creationDate", id_target as "idTarget", id_campaign as "idCampaign",
      ((select count(*) from ${t.subscriber} where fld0 = any(ids_subscriber))
        + (select count(*) from ${t.archived_subscriber} where id = any(ids_subscriber)))::int as "nbSubscribers"
    from ${t.sample_data}`);
}

/** Creates the made-up people, a target of them and a draft to it. @throws 409 if the site has sample data */
export async function createSampleData(
  db: SiteDb,
  texts: SampleTexts,
  author: Author,
  now: Date,
): Promise<SampleData> {
  return db.transaction(async (tx) => {
    await lockSampleData(tx);
    if (await findSampleData(tx)) throw conflict('The site already has sample data; remove it first');
    const ids = await insertSamplePeople(tx, texts.origin, now);
    const idTarget = await insertSampleTarget(tx, texts.target, author, now);
    const idConfiguration = await tx.value<number | null>(sql`
      select max(id) from ${tx.t.sending_configuration} where not is_archive`);
    const by = { id: author.idUser, name: author.userName };
    const idCampaign = await insertCampaign(tx, sampleCampaign(texts, idConfiguration), by, now);
    await insertSegment(tx, idCampaign, {
      ...{ name: texts.target, idTarget, isExcluded: false, isRandom: false, percent: 100 },
      ...{ mailObject: null, senderAlias: null, fixedValues: 0 },
    });
    await tx.run(sql`
      insert into ${tx.t.sample_data} (created_at, id_target, id_campaign, ids_subscriber)
      values (${now}, ${idTarget}, ${idCampaign}, ${ids}::int[])`);
    return { creationDate: now, nbSubscribers: ids.length, idTarget, idCampaign };
  });
}

/** A target of the made-up people who may receive mail, which is safe to send to. */
async function insertSampleTarget(tx: SiteDb, name: string, author: Author, at: Date): Promise<number> {
  const parameters = { name, isTestTarget: false, pctSelect: 100, maxSelect: null, isRandomMode: false };
  const idTarget = await insertTarget(tx, { ...parameters, excludedTargets: [] }, author, at);
  const filters = [
    { idField: 7, operator: 'Equal', value: '0' },
    { idField: 44, operator: 'LessOrEqual', value: '1' },
    { idField: 37, operator: 'Equal', value: sampleDomain },
  ];
  await setFilter(tx, { idTarget, kind: 'field', isEnabled: true, definition: { filters } });
  return idTarget;
}

/**
 * Removes exactly what `createSampleData` created, whatever was changed in it since. A draft that was sent stays in the
 * archive, because its statistics are of messages that were sent.
 * @throws 404 without sample data; 409 while the draft is scheduled or being sent, and what `deleteTargetRow` refuses
 */
export async function removeSampleData(db: SiteDb, now: Date): Promise<RemovedSampleData> {
  return db.transaction(async (tx) => {
    await lockSampleData(tx);
    const { idTarget, idCampaign, ids } = found(
      await tx.first<{ idTarget: number; idCampaign: number; ids: number[] }>(sql`
        delete from ${tx.t.sample_data}
        returning id_target as "idTarget", id_campaign as "idCampaign", ids_subscriber as ids`),
      'Sample data',
    );
    const nbCampaigns = await removeSampleCampaign(tx, idCampaign, now);
    const hasTarget = (await findTarget(tx, idTarget)) !== undefined;
    if (hasTarget) await deleteTargetRow(tx, idTarget, now);
    const nbSubscribers = await removeSamplePeople(tx, ids);
    return { nbSubscribers, nbTargets: Number(hasTarget), nbCampaigns };
  });
}

/** Deletes the draft, or archives it if it was sent. @returns the number of deleted ones */
async function removeSampleCampaign(tx: SiteDb, id: number, now: Date): Promise<number> {
  const campaign = await lockCampaign(tx, id);
  // A stronger lock than that of a change: no test mailing can be added, whose job would refer to the campaign.
  await tx.run(sql`select from ${tx.t.campaign} where id = ${id} for update`);
  const jobs = await tx.one<{ count: number; open: number }>(sql`
    select count(*)::int as count, (count(*) filter (where is_open))::int as open
    from ${tx.t.known_job} where id_campaign = ${id}`);
  if (isPlanned(campaign.scheduleState) || jobs.open > 0)
    throw conflict(`Campaign ${id} is scheduled or being sent; stop it, then remove the sample data`);
  if (jobs.count > 0) {
    await updateCampaign(
      tx,
      id,
      { ...campaign, parameters: { ...campaign.parameters, isArchive: true } },
      now,
    );
    return 0;
  }
  await replaceDirectories(tx, 'campaign', id, []);
  await dropFavourites(tx, 'campaign', id);
  // Segments and tracked links are deleted with it.
  await tx.run(sql`delete from ${tx.t.campaign} where id = ${id}`);
  return 1;
}

/** Waits for another creation or removal on the site, and blocks them until the transaction ends. */
async function lockSampleData(tx: SiteDb): Promise<void> {
  await tx.run(advisoryLock(`sample data of ${tx.site.schema}`));
}
