import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentsOperations } from '../../contents/operations.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { foreignTarget } from '../../testing/foreign-target.ts';
import { targetsOperations } from '../operations.ts';

describe('deleteTarget', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: [...contentsOperations, ...targetsOperations] });
  });
  afterAll(() => t.close());

  const create = async (body: object = {}): Promise<number> =>
    ((await t.call('POST', '/targets', { body: { name: 'Actifs', ...body } })).data as { id: number }).id;

  it('200 takes the target, its filters, tags and favourites away', async () => {
    const id = await create();
    const filters = [{ idField: 7, operator: 'Equal', value: '0' }];
    await t.call('PUT', '/targets/filters/field', { body: { idTarget: id, filters } });
    const body = { name: 'Season', dirType: 'Filter' };
    const idDirectory = (await t.call('POST', '/pictures/directories', { body })).data;
    await t.call('PUT', `/targets/${id}/directories`, { body: [idDirectory] });
    await t.call('PUT', `/targets/${id}/favourite`, { body: true });
    expect(await t.call('DELETE', `/targets/${id}`)).toMatchObject({
      status: 200,
      data: true,
      typeName: 'Boolean',
    });
    for (const path of ['', '/count', '/safe', '/description', '/subscriber-ids', '/filters/field']) {
      expect(await t.call('GET', `/targets/${id}${path}`)).toMatchObject({ status: 404 });
    }
    expect((await t.call('GET', '/targets/all')).data).toMatchObject({ totalCount: 0 });
    expect(await t.call('DELETE', `/targets/${id}`)).toMatchObject({ status: 404 });
    for (const path of ['directories', 'favourite']) {
      const body = path === 'favourite' ? true : [];
      expect(await t.call('PUT', `/targets/${id}/${path}`, { body })).toMatchObject({ status: 404 });
    }
    const { target_filter, object_directory, favourite } = t.db.t;
    for (const table of [target_filter, object_directory, favourite])
      expect(await t.db.rows(sql`select from ${table}`)).toEqual([]);
  });

  /** A campaign in a state with a segment on the target, put straight into the tables: campaigns come later. */
  async function campaignOn(idTarget: number, state: string): Promise<number> {
    const { id } = await t.db.one<{ id: number }>(sql`
      insert into ${t.db.t.campaign} (id_user, author, name, parameters, created_at, updated_at, schedule_state)
      values (1, 'Ada', 'c', '{}', now(), now(), ${state}) returning id`);
    await t.db.run(sql`
      insert into ${t.db.t.segment} (id_campaign, position, name, id_target, percent)
      values (${id}, 1, 's', ${idTarget}, 100)`);
    return id;
  }

  it.each(['Programmed', 'InProgress', 'Paused'])(
    '409 while a campaign in state %s uses it',
    async (state) => {
      const id = await create();
      const campaign = await campaignOn(id, state);
      expect(await t.call('DELETE', `/targets/${id}`)).toMatchObject({
        status: 409,
        data: null,
        error: `Target ${id} is used by campaigns that are scheduled or sending: ${campaign}`,
      });
      expect(await t.call('GET', `/targets/${id}`)).toMatchObject({ status: 200 });
    },
  );

  it('409 while such a campaign has it for its test mailings', async () => {
    const id = await create({ isTestTarget: true });
    const campaign = await campaignOn(await create(), 'Programmed');
    await t.db.run(sql`
      update ${t.db.t.campaign} set parameters = ${JSON.stringify({ idTestTarget: id })}::jsonb
      where id = ${campaign}`);
    expect(await t.call('DELETE', `/targets/${id}`)).toMatchObject({
      status: 409,
      error: `Target ${id} is used by campaigns that are scheduled or sending: ${campaign}`,
    });
    await t.db.run(sql`update ${t.db.t.campaign} set schedule_state = 'Finished' where id = ${campaign}`);
    expect(await t.call('DELETE', `/targets/${id}`)).toMatchObject({ status: 200 });
  });

  it.each(['None', 'Finished', 'Stopped', 'Missed', 'Error'])(
    '200 when a campaign in state %s uses it',
    async (state) => {
      const id = await create();
      await campaignOn(id, state);
      expect(await t.call('DELETE', `/targets/${id}`)).toMatchObject({ status: 200, data: true });
    },
  );

  it('409 while another target excludes it', async () => {
    const id = await create();
    const other = await create({ excludedTargets: [id] });
    expect(await t.call('DELETE', `/targets/${id}`)).toMatchObject({
      status: 409,
      error: `Target ${id} is excluded by targets ${other}`,
    });
  });

  it('404 for an unknown target and one of another site', async () => {
    for (const id of [99_999, await foreignTarget(t)]) {
      expect(await t.call('DELETE', `/targets/${id}`)).toMatchObject({
        status: 404,
        success: false,
        data: null,
        error: 'Target not found',
      });
    }
  });
});
