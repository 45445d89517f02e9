import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Checklist } from '../../campaigns/checklist.ts';
import { siteFolderPath } from '../../files/sftp-server.ts';
import { sql } from '../../platform/db/sql.ts';
import { setFilter } from '../../targets/filter-store.ts';
import { siteRoleOf } from '../../targets/site-role.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeSubscribers, makeTarget } from '../../testing/campaign-makers.ts';
import { addCustomFields } from '../../testing/custom-fields.ts';
import { Hold } from '../../testing/hold.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import { jobsOf } from '../../testing/sending-campaign.ts';
import { withoutSiteReader } from '../../testing/site-reader.ts';

/** The checklist names every fault of a count or a generation, and sending is rejected before there is a job. */
describe('targets that cannot be used', () => {
  let t: TestApp;
  let folder: string;
  beforeAll(async () => {
    t = await testApp();
    await addCustomFields(t.db);
    await makeSubscribers(t.db, [1, 2, 3]);
    folder = siteFolderPath(t.dataDir, t.db.site.id);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'l.csv'), '1\n2\n');
  });
  afterAll(() => t.close());

  type Definition = Readonly<Record<string, unknown>>;
  const points = { filters: [{ idField: 102, operator: 'Greater', value: '5' }] };
  const list = { filename: 'l.csv', dbFieldName: 'fld0', fileAutomaticDeletionDate: '2027-01-01T00:00:00Z' };

  async function targetWith(kind: string, definition: Definition, name = 'Clients'): Promise<number> {
    // The field filter of `makeTarget` makes it safe; where a field filter is tested, it takes that one's place.
    const idTarget = await makeTarget(t.db, { name });
    await setFilter(t.db, { idTarget, kind, isEnabled: true, definition });
    return idTarget;
  }
  async function campaignTo(idTarget: number, parameters: { idTestTarget?: number } = {}): Promise<number> {
    const id = await makeCampaign(t.db, { parameters: { name: 'Spring', ...parameters } });
    await makeSegment(t.db, id, { idTarget });
    return id;
  }
  const checklist = async (id: number) => {
    const reply = await t.call('GET', `/campaigns/${id}/checklist`);
    expect(reply).toMatchObject({ status: 200, error: null });
    return reply.data as Checklist;
  };
  const count = (id: number) => t.call('GET', `/campaigns/${id}/segments/count`);
  const send = (id: number) => t.call('POST', '/campaigns/send-now', { body: id });
  const test = (id: number) => t.call('POST', '/campaigns/test-mailing', { body: id });
  const testOfSegment = (id: number) => t.call('POST', `/campaigns/${id}/test-mailing`, { body: 1 });
  const modify = async (body: object) =>
    expect((await t.call('PUT', '/fields', { body, as: 'admin' })).error).toBe(null);

  /** The campaign is not ready for one reason; it is not sent, nor has it a job. */
  async function isRefused(id: number, problem: string): Promise<void> {
    const found = await checklist(id);
    const others = found.problems.filter((one) => !one.startsWith('targets that are not safe'));
    expect(others).toEqual([problem]);
    expect(found).toMatchObject({ isCampaignReady: false, hasSendingFilter: false });
    expect(await send(id)).toMatchObject({ status: 422, error: expect.stringContaining(problem) });
    expect(await jobsOf(t.db, id)).toEqual([]);
    const campaign = await t.call('GET', `/campaigns/${id}`);
    expect(campaign.data).toMatchObject({ schedulingInfos: { state: 'None' } });
  }

  it('a field that changed its type under a filter, until it is changed back', async () => {
    const idTarget = await targetWith('field', points, 'Rich «& rare»');
    const other = await targetWith('sql', { sql: 'fld102 > 5' });
    const id = await campaignTo(idTarget);
    await makeSegment(t.db, id, { idTarget: await makeTarget(t.db) });
    const bySql = await campaignTo(other);
    await modify({ id: 102, fieldType: 'Boolean' });
    const refused = await count(id);
    expect(refused.status).toBe(409);
    await isRefused(id, `the target ${idTarget} “Rich «& rare»”: ${refused.error}`);
    const refusedSql = await count(bySql);
    expect(refusedSql.status).toBe(409);
    await isRefused(bySql, `the target ${other} “Clients”: ${refusedSql.error}`);
    await modify({ id: 102, fieldType: 'Integer' });
    expect(await checklist(bySql)).toMatchObject({ isCampaignReady: true, problems: [] });
    expect(await send(bySql)).toMatchObject({ status: 200, data: true });
  });

  it('a field that no longer exists, a missing file, an invalid expression', async () => {
    const broken: [string, Definition][] = [
      ['field', { filters: [{ idField: 399, operator: 'Equal', value: '1' }] }],
      ['sql', { sql: 'fld399 = 1' }],
      ['sql', { sql: 'fld43 > (select 1)' }],
      ['file', { ...list, filename: 'gone.csv' }],
      ['file', { ...list, dbFieldName: 'fld399' }],
    ];
    for (const [kind, definition] of broken) {
      const idTarget = await targetWith(kind, definition);
      const id = await campaignTo(idTarget);
      const refused = await count(id);
      expect(refused, JSON.stringify(definition)).toMatchObject({ status: 409 });
      await isRefused(id, `the target ${idTarget} “Clients”: ${refused.error}`);
    }
  });

  it('one that a target excludes, and one of an excluded segment; each target is named once', async () => {
    const broken = await targetWith('file', { ...list, filename: 'gone.csv' }, 'Gone');
    const of = await makeTarget(t.db, { name: 'Readers' });
    await t.db.run(
      sql`update ${t.db.t.target} set excluded_targets = array[${broken}::int] where id = ${of}`,
    );
    const id = await campaignTo(of);
    await makeSegment(t.db, id, { idTarget: of, percent: 50 });
    await makeSegment(t.db, id, { idTarget: broken, isExcluded: true });
    await makeSegment(t.db, id, { idTarget: await makeTarget(t.db) });
    const why = 'A file filter cannot be used: The file gone.csv is not in the repository';
    const { problems } = await checklist(id);
    expect(problems).toEqual([`the target ${of} “Readers”: ${why}`, `the target ${broken} “Gone”: ${why}`]);
    expect((await send(id)).error).toBe(`The campaign is not ready: ${problems.join('; ')}`);
  });

  it('a disabled filter and what only shows on the subscribers’ values are no problem before', async () => {
    const idTarget = await targetWith('sql', { sql: '10 / (fld0 - fld0) > 0' });
    const broken = {
      idTarget,
      kind: 'file',
      isEnabled: false,
      definition: { ...list, filename: 'gone.csv' },
    };
    await setFilter(t.db, broken);
    const id = await campaignTo(idTarget);
    expect((await count(id)).status).toBe(422);
    expect(await checklist(id)).toMatchObject({ isCampaignReady: true, problems: [] });
  });

  it('what cannot be checked now is not ready, and is requested again by 503', async () => {
    const bySql = await targetWith('sql', { sql: 'fld0 > 1' });
    const id = await campaignTo(bySql);
    expect(await checklist(id)).toMatchObject({ isCampaignReady: true });
    await withoutSiteReader(t, async () => {
      const away = await send(id);
      expect(away).toMatchObject({ status: 503, headers: { 'x-error-code': 'unavailable' } });
      expect(await checklist(id)).toMatchObject({
        isCampaignReady: false,
        hasSendingFilter: false,
        problems: [`the target ${bySql} “Clients” cannot be checked now: ${away.error}`],
      });
      // With something that is wrong permanently beside it there is no use in coming again.
      const gone = await targetWith('file', { ...list, filename: 'gone.csv' });
      await makeSegment(t.db, id, { idTarget: gone });
      expect(await send(id)).toMatchObject({ status: 422, error: expect.stringContaining('gone.csv') });
      expect(await jobsOf(t.db, id)).toEqual([]);
    });
    expect((await checklist(id)).problems).toEqual([expect.stringContaining('gone.csv')]);
  });

  it('a role that may more than read is nobody’s to judge by: 500, not ready', async () => {
    const id = await campaignTo(await targetWith('sql', { sql: 'fld0 > 2' }));
    expect(await checklist(id)).toMatchObject({ isCampaignReady: true });
    const { name } = await siteRoleOf(t);
    await t.app.control.pool.query(`grant update on site_demo.subscriber to ${name}`);
    const replies = await Promise.all([t.call('GET', `/campaigns/${id}/checklist`), send(id), count(id)]);
    expect(replies.map(({ status, data }) => [status, data])).toEqual(replies.map(() => [500, null]));
    expect(await jobsOf(t.db, id)).toEqual([]);
    await t.app.control.pool.query(`revoke update on site_demo.subscriber from ${name}`);
    expect(await checklist(id)).toMatchObject({ isCampaignReady: true });
  });

  it('a file that is still being loaded is waited for by the sending, and no problem', async () => {
    writeFileSync(join(folder, 'l.csv'), '1\n3\n');
    const id = await campaignTo(await targetWith('file', list));
    const values = `${t.db.site.schema}.filter_file_value`;
    const hold = await Hold.of(t.connection, `lock table ${values} in exclusive mode`);
    const asked = checklist(id);
    await hold.reached();
    expect(await asked).toMatchObject({ isCampaignReady: true, problems: [] });
    await hold.letGo();
    expect(await send(id)).toMatchObject({ status: 200, data: true });
  });

  it('an unavailable repository is reported as such', async () => {
    const idTarget = await targetWith('file', list);
    const id = await campaignTo(idTarget);
    const away = await makeRepository(t.db, t.app.secrets);
    await t.db.run(sql`update ${t.db.t.repository} set is_default = (id = ${away})`);
    const problem = expect.stringContaining(`the target ${idTarget} “Clients” cannot be checked now: `);
    expect(await checklist(id)).toMatchObject({ isCampaignReady: false, problems: [problem] });
    expect((await send(id)).status).toBe(503);
    await t.db.run(sql`update ${t.db.t.repository} set is_default = (id <> ${away})`);
    expect(await checklist(id)).toMatchObject({ isCampaignReady: true });
  });

  it('a test mailing whose testers cannot be looked at now is requested again by 503', async () => {
    const idTestTarget = await makeTarget(t.db, { isTestTarget: true, ids: [1], name: 'Testers' });
    await setFilter(t.db, {
      idTarget: idTestTarget,
      kind: 'sql',
      isEnabled: true,
      definition: { sql: 'fld0 > 0' },
    });
    const id = await campaignTo(await makeTarget(t.db), { idTestTarget });
    await withoutSiteReader(t, async () => {
      const error = 'The database has no connection left for SQL filters; try again later';
      expect([await test(id), await testOfSegment(id)]).toMatchObject([
        { status: 503, error },
        { status: 503, error },
      ]);
    });
    expect(await jobsOf(t.db, id)).toEqual([]);
    expect(await testOfSegment(id)).toMatchObject({ status: 200, data: true });
  });

  it('a test mailing requests the test target alone', async () => {
    rmSync(join(folder, 'l.csv'));
    const idTestTarget = await makeTarget(t.db, { isTestTarget: true, ids: [1], name: 'Testers' });
    const id = await campaignTo(await targetWith('file', list), { idTestTarget });
    expect(await test(id)).toMatchObject({ status: 200, data: true });
    await setFilter(t.db, { idTarget: idTestTarget, kind: 'file', isEnabled: true, definition: list });
    expect(await test(id)).toMatchObject({
      status: 422,
      error:
        `The test mailing is not ready: the target ${idTestTarget} “Testers”: ` +
        'A file filter cannot be used: The file l.csv is not in the repository',
    });
    expect(await testOfSegment(id)).toMatchObject({
      status: 422,
      error: expect.stringContaining('“Testers”'),
    });
    expect(await jobsOf(t.db, id)).toHaveLength(1);
  });
});
