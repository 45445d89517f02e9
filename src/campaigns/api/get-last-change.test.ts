import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../api.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeTarget } from '../../testing/campaign-makers.ts';
import { makePerson, makeSession } from '../../testing/make-session.ts';
import { changingOperations } from './get-last-change.ts';

describe('getLastChange', () => {
  let t: TestApp;
  let idCampaign: number;
  let idTarget: number;
  let malo: string;
  beforeAll(async () => {
    t = await testApp({ audits: true });
    const person = await makePerson(t, { sites: [{ name: 'demo', role: 'editor' }] });
    await t.app.control.run(sql`update facteur.app_user set name = 'Malo' where id = ${person.id}`);
    malo = await makeSession(t, person);
    idCampaign = await makeCampaign(t.db);
    idTarget = await makeTarget(t.db);
  });
  afterAll(() => t.close());

  const lastOf = async (query: Record<string, number>) => {
    await t.audit.idle();
    return t.call('GET', '/last-change', { query, as: 'reader' });
  };
  const nameOf = async (query: Record<string, number>) => (await lastOf(query)).data;

  it('200 without a name if the log does not have the change', async () => {
    expect(await lastOf({ idCampaign })).toMatchObject({
      ...{ status: 200, typeName: 'LastChange', data: { userName: null } },
    });
  });

  it('200 who changed a campaign or its segments last', async () => {
    t.clock.advance(120_000);
    const body = { id: idCampaign, parameters: {}, htmlContent: '<p>By the editor</p>' };
    expect((await t.call('PUT', '/campaigns', { body, session: malo })).status).toBe(200);
    const date = t.clock.now().toISOString();
    expect(await nameOf({ idCampaign })).toEqual({ date, userName: 'Malo' });
    t.clock.advance(120_000);
    const segment = { name: 'A', idTarget, percent: 100, fixedValues: 0 };
    expect((await t.call('POST', `/campaigns/${idCampaign}/segments`, { body: segment })).status).toBe(200);
    expect(await nameOf({ idCampaign })).toMatchObject({ userName: 'Ada' });
  });

  it('200 who changed a target or a filter of it last', async () => {
    t.clock.advance(120_000);
    await t.call('PUT', `/targets/${idTarget}`, { body: { name: 'Renamed' }, session: malo });
    expect(await nameOf({ idTarget })).toMatchObject({ userName: 'Malo' });
    t.clock.advance(120_000);
    const body = { idTarget, isEnabled: true, filters: [{ idField: 7, operator: 'Equal', value: '0' }] };
    expect((await t.call('PUT', '/targets/filters/field', { body })).status).toBe(200);
    expect(await nameOf({ idTarget })).toMatchObject({ userName: 'Ada' });
  });

  it('200 without a name if several people changed it within a minute', async () => {
    t.clock.advance(120_000);
    await t.call('PUT', `/targets/${idTarget}`, { body: { name: 'Once more' }, session: malo });
    await t.call('PUT', `/targets/${idTarget}`, { body: { name: 'And again' } });
    expect(await nameOf({ idTarget })).toMatchObject({ userName: null });
  });

  it('400 for none and for both, 404 for an unknown one', async () => {
    const wrong: Record<string, number>[] = [{}, { idCampaign, idTarget }];
    for (const query of wrong)
      expect(await lastOf(query)).toMatchObject({
        status: 400,
        error: expect.stringContaining('exactly one of them'),
      });
    expect((await lastOf({ idCampaign: 999_999 })).status).toBe(404);
    expect((await lastOf({ idTarget: 999_999 })).status).toBe(404);
  });

  it('names operations that exist', () => {
    const ids: readonly string[] = operations.map(({ id }) => id);
    expect(
      Object.values(changingOperations).flatMap((names) => names.filter((id) => !ids.includes(id))),
    ).toEqual([]);
  });
});
