import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getCampaign } from '../../campaigns/campaign-store.ts';
import { siteFolderPath } from '../../files/sftp-server.ts';
import { sql } from '../../platform/db/sql.ts';
import { setFilter } from '../../targets/filter-store.ts';
import { siteRoleOf } from '../../targets/site-role.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeSubscribers, makeTarget } from '../../testing/campaign-makers.ts';
import { Hold } from '../../testing/hold.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import { startJob } from '../control-jobs.ts';
import { findJob } from '../job-store.ts';
import { generateJob } from './generate-job.ts';

/** Filters that can fail on what they find when a job is generated. */
describe('generateJob with filters by SQL and file', () => {
  let t: TestApp;
  let folder: string;
  beforeAll(async () => {
    t = await testApp();
    await makeSubscribers(t.db, [1, 2, 3, 4, 5]);
    await t.db.run(sql`update ${t.db.t.subscriber} set fld43 = fld0 - 3`);
    folder = siteFolderPath(t.dataDir, t.db.site.id);
    mkdirSync(folder, { recursive: true });
  });
  afterAll(() => t.close());

  async function start(kind: string, definition: Record<string, unknown>): Promise<number> {
    const idCampaign = await makeCampaign(t.db);
    const idTarget = await makeTarget(t.db);
    await setFilter(t.db, { idTarget, kind, isEnabled: true, definition });
    await makeSegment(t.db, idCampaign, { idTarget });
    return started(idCampaign);
  }
  const started = (idCampaign: number) =>
    t.db.transaction(async (tx) => {
      const campaign = await getCampaign(tx, idCampaign);
      await tx.run(sql`update ${tx.t.campaign} set schedule_state = 'Programmed' where id = ${idCampaign}`);
      const now = t.clock.now();
      return startJob(tx, { campaign, isTest: false, scheduledAt: now, author: 'Ada' }, now);
    });
  const generate = (idJob: number) =>
    generateJob.run(t.app, { idSite: t.db.site.id, idJob }, new AbortController().signal);
  const audience = async (idJob: number) =>
    (
      await t.db.rows<{ ids: number[] }>(sql`
        select subscribers as ids from ${t.db.t.recipient_range} where id_job = ${idJob}`)
    ).flatMap((row) => row.ids);
  const retried = { state: 'Programmed', errorInfo: 'It could not be generated; the generation is retried' };
  const list = { filename: 'l.csv', dbFieldName: 'fld0', fileAutomaticDeletionDate: '2027-01-01T00:00:00Z' };

  it('freezes the subscribers that they select at that moment', async () => {
    const bySql = await start('sql', { sql: 'fld43 * fld43 = 4' });
    await generate(bySql);
    expect(await audience(bySql)).toEqual([1, 5]);
    writeFileSync(join(folder, 'l.csv'), '1\n2\n');
    const byFile = await start('file', list);
    writeFileSync(join(folder, 'l.csv'), '2\n3\n44\n');
    await generate(byFile);
    expect(await audience(byFile)).toEqual([2, 3]);
  });

  it('evaluates what a user wrote with the rights of the site alone, and retries while it cannot', async () => {
    const bySql = await start('sql', { sql: 'fld43 * fld43 = 1' });
    const { name } = await siteRoleOf(t);
    // Shows that the freezing asks the role: one that may do more is not used.
    await t.app.control.pool.query(`grant update on site_demo.subscriber to ${name}`);
    await generate(bySql);
    expect(await findJob(t.db, bySql)).toMatchObject(retried);
    await t.app.control.pool.query(`drop owned by ${name}; drop role ${name}`);
    await generate(bySql);
    expect(await audience(bySql)).toEqual([2, 4]);
  });

  it('freezes the counted subscribers, beside segments that are cut, shared and excluded', async () => {
    const by = async (text: string) => {
      const idTarget = await makeTarget(t.db);
      await setFilter(t.db, { idTarget, kind: 'sql', isEnabled: true, definition: { sql: text } });
      return idTarget;
    };
    const idCampaign = await makeCampaign(t.db);
    await makeSegment(t.db, idCampaign, { idTarget: await by('fld43 > 0'), percent: 50 });
    await makeSegment(t.db, idCampaign, { idTarget: await by('fld43 > -2') });
    await makeSegment(t.db, idCampaign, { idTarget: await by('fld43 = 2'), isExcluded: true });
    const counts = (await t.call('GET', `/campaigns/${idCampaign}/segments/count`)).data as {
      segmentCount: number;
    }[];
    expect(counts.map((one) => one.segmentCount)).toEqual([1, 2, 1]);
    const idJob = await started(idCampaign);
    await generate(idJob);
    expect(await audience(idJob)).toEqual([4, 2, 3]);
  });

  it('waits for a file that takes longer to load than a request waits, and holds its campaign for nobody', async () => {
    writeFileSync(join(folder, 'l.csv'), '1\n4\n');
    const idJob = await start('file', list);
    const [segment] = await t.db.rows<{ id: number; target: number }>(sql`
      select id_campaign as id, id_target as target from ${t.db.t.segment} order by id desc limit 1`);
    const { id: idCampaign, target } = segment!;
    const values = `${t.db.site.schema}.filter_file_value`;
    const hold = await Hold.of(t.connection, `lock table ${values} in exclusive mode`);
    const generated = generate(idJob);
    await hold.reached();
    const loading = { status: 503, headers: { 'x-error-code': 'loading' } };
    const counts = [`/campaigns/${idCampaign}/segments/count`, `/targets/${target}/count`];
    expect(await Promise.all(counts.map((path) => t.call('GET', path)))).toMatchObject([loading, loading]);
    expect(await findJob(t.db, idJob)).toMatchObject({ state: 'Generating', errorInfo: null });
    await t.db.transaction((tx) =>
      tx.run(sql`select from ${tx.t.campaign} where id = ${idCampaign} for update nowait`),
    );
    await hold.letGo();
    await generated;
    expect(await findJob(t.db, idJob)).toMatchObject({ state: 'Sending', errorInfo: null });
    expect(await audience(idJob)).toEqual([1, 4]);
  });

  it('ends in Error with the reason where one fails, and nobody is frozen', async () => {
    const bySql = await start('sql', { sql: '10 / fld43 > 0' });
    await generate(bySql);
    expect(await findJob(t.db, bySql)).toMatchObject({
      state: 'Error',
      errorInfo: expect.stringContaining('division by zero'),
    });
    rmSync(join(folder, 'l.csv'));
    const byFile = await start('file', list);
    await generate(byFile);
    expect(await findJob(t.db, byFile)).toMatchObject({
      state: 'Error',
      errorInfo: 'A file filter cannot be used: The file l.csv is not in the repository',
    });
    expect([...(await audience(bySql)), ...(await audience(byFile))]).toEqual([]);
  });

  it('retries while the repository is unavailable', async () => {
    const idJob = await start('file', list);
    const away = await makeRepository(t.db, t.app.secrets);
    await t.db.run(sql`update ${t.db.t.repository} set is_default = (id = ${away})`);
    await generate(idJob);
    expect(await findJob(t.db, idJob)).toMatchObject(retried);
  });
});
