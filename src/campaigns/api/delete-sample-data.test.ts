import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeJob } from '../../testing/make-sent.ts';

describe('deleteSampleData', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  type Made = Readonly<Record<'nbSubscribers' | 'idTarget' | 'idCampaign', number>>;
  const create = async () => (await t.call('POST', '/sample-data', { body: {} })).data as Made;
  const remove = () => t.call('DELETE', '/sample-data', { as: 'editor' });
  const all = { nbSubscribers: 200, nbTargets: 1, nbCampaigns: 1 };
  const rows = async () => {
    const { subscriber, archived_subscriber, campaign, segment, tracked_link, target_filter, sample_data } =
      t.db.t;
    const tables = {
      subscriber,
      archived_subscriber,
      campaign,
      segment,
      tracked_link,
      target_filter,
      sample_data,
    };
    const counts: Record<string, number> = {};
    for (const [name, table] of Object.entries(tables))
      counts[name] = await t.db.value<number>(sql`select count(*) as n from ${table}`);
    return counts;
  };

  it('200 leaves the site as it was', async () => {
    const before = await rows();
    await create();
    expect(await remove()).toMatchObject({ status: 200, typeName: 'RemovedSampleData', data: all });
    expect(await rows()).toEqual(before);
  });

  it('404 when there is none', async () => {
    expect(await remove()).toMatchObject({ status: 404, error: 'Sample data not found' });
  });

  it('403 for a reader', async () => {
    expect(await t.call('DELETE', '/sample-data', { as: 'reader' })).toMatchObject({ status: 403 });
  });

  it('200 removes what was changed or archived, and leaves what a user made from it', async () => {
    const own = await t.call('POST', '/subscribers', {
      body: [{ fields: [{ idField: 1, value: 'own@shop.example' }] }],
    });
    const { idTarget, idCampaign } = await create();
    const before = await rows();
    const ids = (await t.call('GET', `/targets/${idTarget}/subscriber-ids`)).data as number[];
    const changed = [{ id: ids[0], fields: [{ idField: 1, value: 'renamed@shop.example' }] }];
    expect(await t.call('PUT', '/subscribers', { body: changed })).toMatchObject({ status: 200 });
    expect(await t.call('DELETE', '/subscribers', { body: ids.slice(1, 4) })).toMatchObject({ status: 200 });
    await t.call('POST', `/campaigns/${idCampaign}/segments`, {
      body: { name: 'Again', idTarget, percent: 100, fixedValues: 0 },
    });
    await t.call('PUT', `/campaigns/${idCampaign}/favourite`, { body: true });
    const favourites = () => t.call('GET', '/campaigns/favourites');
    expect(await favourites()).toMatchObject({ data: [idCampaign] });
    const copy = await t.call('POST', '/targets/duplicate', { body: idTarget });
    expect(copy.status).toBe(200);
    const draft = await t.call('POST', '/campaigns', {
      body: { parameters: { name: 'Own', subject: 'Own', mode: 'Simple', type: 'Newsletter' } },
    });
    await t.call('POST', `/campaigns/${(draft.data as { id: number }).id}/segments`, {
      body: { name: 'Sample', idTarget, percent: 100, fixedValues: 0 },
    });
    expect((await remove()).data).toEqual(all);
    expect(await favourites()).toMatchObject({ data: [] });
    expect(await t.call('GET', `/targets/${idTarget}`)).toMatchObject({ status: 404 });
    expect(await t.call('GET', `/campaigns/${idCampaign}`)).toMatchObject({ status: 404 });
    const left = await t.db.values<string>(sql`select fld1 from ${t.db.t.subscriber}`);
    expect(left).toEqual(['own@shop.example']);
    expect(own.status).toBe(200);
    expect(await t.call('GET', `/targets/${(copy.data as { id: number }).id}`)).toMatchObject({
      status: 200,
    });
    expect(await t.call('GET', `/campaigns/${(draft.data as { id: number }).id}`)).toMatchObject({
      status: 200,
    });
    expect(await rows()).toMatchObject({ archived_subscriber: 0, sample_data: 0, segment: before.segment! });
  });

  it('200 archives a draft that was sent, whose statistics stay, and removes everything else', async () => {
    const { idTarget, idCampaign } = await create();
    const { idJob } = await makeJob(t.db, { idCampaign });
    expect((await remove()).data).toEqual({ ...all, nbCampaigns: 0 });
    expect(await t.call('GET', `/campaigns/${idCampaign}`)).toMatchObject({
      data: { parameters: { isArchive: true, name: 'Sample newsletter' } },
    });
    expect(await t.call('GET', `/targets/${idTarget}`)).toMatchObject({ status: 404 });
    expect(await t.db.rows(sql`select from ${t.db.t.job} where id = ${idJob}`)).toHaveLength(1);
    expect(await t.call('GET', '/sample-data')).toMatchObject({ data: null });
  });

  it('200 after a user deleted the target', async () => {
    const { idTarget } = await create();
    expect(await t.call('DELETE', `/targets/${idTarget}`)).toMatchObject({ status: 200 });
    expect((await remove()).data).toEqual({ ...all, nbTargets: 0 });
  });

  it.each(['Programmed', 'InProgress', 'Paused'])(
    '409 while the draft is %s; nothing is removed',
    async (state) => {
      const { idCampaign } = await create();
      const { campaign } = t.db.t;
      await t.db.run(sql`update ${campaign} set schedule_state = ${state} where id = ${idCampaign}`);
      const before = await rows();
      expect(await remove()).toMatchObject({
        status: 409,
        error: `Campaign ${idCampaign} is scheduled or being sent; stop it, then remove the sample data`,
      });
      expect(await rows()).toEqual(before);
      await t.db.run(sql`update ${campaign} set schedule_state = 'None' where id = ${idCampaign}`);
      expect((await remove()).data).toEqual(all);
    },
  );

  it('409 while a test mailing of the draft is being sent', async () => {
    const { idCampaign } = await create();
    await makeJob(t.db, { idCampaign, isTest: true, state: 'Sending' });
    expect(await remove()).toMatchObject({ status: 409 });
    await t.db.run(sql`update ${t.db.t.job} set state = 'Finished' where id_campaign = ${idCampaign}`);
    expect((await remove()).data).toEqual({ ...all, nbCampaigns: 0 });
  });

  it('409 while a target of the site excludes the sample target; nothing is removed', async () => {
    const { idTarget } = await create();
    const own = await t.call('POST', '/targets', { body: { name: 'Others', excludedTargets: [idTarget] } });
    const before = await rows();
    expect(await remove()).toMatchObject({
      status: 409,
      error: expect.stringContaining('is excluded by targets'),
    });
    expect(await rows()).toEqual(before);
    await t.call('DELETE', `/targets/${(own.data as { id: number }).id}`);
    expect((await remove()).data).toEqual(all);
  });
});
