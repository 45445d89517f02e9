import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeConfiguration } from '../../testing/campaign-makers.ts';

describe('createSampleData', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());

  const create = (body: object = {}) => t.call('POST', '/sample-data', { body, as: 'editor' });
  const remove = () => t.call('DELETE', '/sample-data');
  type Made = Readonly<Record<'nbSubscribers' | 'idTarget' | 'idCampaign', number>>;

  it('200 creates 200 people, a safe target of exactly them and a draft to it that only lacks a sender', async () => {
    await t.call('POST', '/subscribers', {
      body: [{ fields: [{ idField: 1, value: 'real@shop.example' }] }],
    });
    const reply = await create({ language: 'en' });
    expect(reply).toMatchObject({ status: 200, typeName: 'SampleData', data: { nbSubscribers: 200 } });
    const { idTarget, idCampaign } = reply.data as Made;
    expect(await t.call('GET', `/targets/${idTarget}/count`)).toMatchObject({ data: 200 });
    expect(await t.call('GET', `/targets/${idTarget}/safe`)).toMatchObject({ data: true });
    expect(await t.call('GET', `/campaigns/${idCampaign}`)).toMatchObject({
      data: {
        authorName: 'Ada',
        parameters: { name: 'Sample newsletter', subject: 'A first look around', idConfiguration: null },
        schedulingInfos: { state: 'None' },
      },
    });
    expect(await t.call('GET', `/campaigns/${idCampaign}/segments/1/count`)).toMatchObject({ status: 200 });
    expect((await remove()).data).toEqual({ nbSubscribers: 200, nbTargets: 1, nbCampaigns: 1 });
  });

  it('200 in French, with the newest sender of the site', async () => {
    await makeConfiguration(t.db);
    const idConfiguration = await makeConfiguration(t.db);
    const { data } = await create({ language: 'fr' });
    expect(await t.call('GET', `/campaigns/${(data as Made).idCampaign}`)).toMatchObject({
      data: { parameters: { name: 'Newsletter d’exemple', idConfiguration } },
    });
    await remove();
  });

  it('400 for another language', async () => {
    expect(await create({ language: 'de' })).toMatchObject({
      status: 400,
      error: expect.stringContaining('language'),
    });
  });

  it('403 for a reader', async () => {
    expect(await t.call('POST', '/sample-data', { body: {}, as: 'reader' })).toMatchObject({ status: 403 });
  });

  it('409 when the site has sample data, and for the second of two simultaneous calls', async () => {
    const replies = await Promise.all([create(), create()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await create()).toMatchObject({
      status: 409,
      error: 'The site already has sample data; remove it first',
    });
    const count = await t.db.value<number>(sql`
      select count(*) as n from ${t.db.t.subscriber} where fld37 = 'sample.facteur.example'`);
    expect(count).toBe(200);
    await remove();
  });

  it('409 when somebody has the address of a made-up person; then nothing is created', async () => {
    const { idTarget } = (await create()).data as Made;
    const { data } = await t.call('GET', `/targets/${idTarget}/subscriber-ids`);
    const query = { 'filter.ids': (data as number[])[150]!, 'filter.idFields': 1 };
    const row = await t.db.one<{ email: string }>(sql`
      select fld1 as email from ${t.db.t.subscriber} where fld0 = ${query['filter.ids']}`);
    await remove();
    await t.call('POST', '/subscribers', { body: [{ fields: [{ idField: 1, value: row.email }] }] });
    const before = await t.db.value<number>(sql`select count(*) as n from ${t.db.t.subscriber}`);
    expect(await create()).toMatchObject({ status: 409, headers: { 'x-error-code': 'duplicate_email' } });
    expect(await t.db.value<number>(sql`select count(*) as n from ${t.db.t.subscriber}`)).toBe(before);
    expect(await t.call('GET', '/sample-data')).toMatchObject({ data: null });
  });
});
