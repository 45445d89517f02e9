import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../api.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeConfiguration, makeTarget } from '../../testing/campaign-makers.ts';
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

  const lastOf = async (query: Record<string, number | string>) => {
    await t.audit.idle();
    return t.call('GET', '/last-change', { query, as: 'reader' });
  };
  const nameOf = async (query: Record<string, number | string>) => (await lastOf(query)).data;

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

  it('200 who changed a segment last, whatever else of the campaign was changed since', async () => {
    const path = `/campaigns/${idCampaign}/segments`;
    const segment = { name: 'A', idTarget, percent: 100, fixedValues: 0 };
    expect((await t.call('POST', path, { body: { ...segment, name: 'B' } })).status).toBe(200);
    t.clock.advance(120_000);
    const at = t.clock.now().toISOString();
    const put = (position: number, session?: string) =>
      t.call('PUT', `${path}/${position}`, {
        body: { ...segment, percent: 50 },
        ...(session && { session }),
      });
    expect((await put(2, malo)).status).toBe(200);
    t.clock.advance(120_000);
    expect((await put(1)).status).toBe(200);
    expect(await nameOf({ idCampaign, segmentPosition: 2 })).toEqual({ date: at, userName: 'Malo' });
    expect(await nameOf({ idCampaign, segmentPosition: 1 })).toMatchObject({ userName: 'Ada' });
    t.clock.advance(120_000);
    const { data } = await t.call('GET', path);
    const ids = (data as { id: number }[]).map(({ id }) => id);
    expect((await t.call('PUT', `${path}/order`, { body: ids.reverse() })).status).toBe(200);
    expect(await nameOf({ idCampaign, segmentPosition: 2 })).toMatchObject({ userName: 'Ada' });
  });

  it('200 who changed a sending configuration, a content block or the schedule of an import last', async () => {
    const idConfig = await makeConfiguration(t.db);
    t.clock.advance(120_000);
    const body = { id: idConfig, senderAlias: 'The shop' };
    expect((await t.call('PUT', '/sending-configurations', { body, session: malo })).status).toBe(200);
    expect(await nameOf({ idConfig })).toMatchObject({ userName: 'Malo' });

    const put = (contentKey: string, session?: string) =>
      t.call('PUT', '/content-blocks', {
        body: { contentKey, contentValue: t.clock.now().toISOString() },
        ...(session && { session }),
      });
    expect((await put('a', malo)).status).toBe(200);
    t.clock.advance(120_000);
    expect((await put('b')).status).toBe(200);
    expect(await nameOf({ contentKey: 'A' })).toMatchObject({ userName: 'Malo' });
    expect(await nameOf({ contentKey: 'b' })).toMatchObject({ userName: 'Ada' });

    const parameters = {
      filename: 'people.csv',
      columnMapping: [{ dbFieldName: 'fld1', idMappingMode: 1, fileColumnName: 'email' }],
    };
    const schedulingInfos = { scheduledDate: '2027-01-01T10:00:00Z' };
    const { data } = await t.call('POST', '/imports/scheduled', { body: { parameters, schedulingInfos } });
    const idImport = (data as { id: number }).id;
    expect(await nameOf({ idImport })).toMatchObject({ userName: 'Ada' });
    t.clock.advance(120_000);
    const later = { scheduledDate: '2027-01-02T10:00:00Z' };
    await t.call('PUT', `/imports/${idImport}/schedule`, { body: later, session: malo });
    expect(await nameOf({ idImport })).toMatchObject({ userName: 'Malo' });
  });

  it('200 who changed the settings of the site last, and nobody of another site', async () => {
    expect(await nameOf({})).toEqual({ date: null, userName: null });
    t.clock.advance(120_000);
    const at = t.clock.now().toISOString();
    await t.call('PUT', '/site', { as: 'admin', body: { typedConfirmationFrom: 5 } });
    expect(await nameOf({})).toEqual({ date: at, userName: 'Ada' });
    t.clock.advance(8 * 86_400_000);
    expect(await nameOf({})).toEqual({ date: null, userName: null });
  });

  it('400 for several and for a position without a campaign, 404 for an unknown one', async () => {
    const refusal = async (query: Record<string, number | string>) => {
      const { status, error } = await lastOf(query);
      return `${status}: ${error}`;
    };
    expect(await refusal({ idCampaign, idTarget })).toContain(
      '400: idCampaign, idTarget: give one of them only',
    );
    expect(await refusal({ segmentPosition: 1 })).toContain('400: segmentPosition: needs idCampaign');
    const unknown: Record<string, number | string>[] = [
      ...[{ idCampaign: 999_999 }, { idTarget: 999_999 }, { idConfig: 999_999 }, { idImport: 999_999 }],
      ...[{ contentKey: 'nobody' }, { idCampaign, segmentPosition: 99 }],
    ];
    for (const query of unknown) expect(await refusal(query)).toMatch(/^404: /);
  });

  it('names operations that exist', () => {
    const ids: readonly string[] = operations.map(({ id }) => id);
    const named = Object.values(changingOperations).flatMap((by) => Object.values(by).flat());
    expect(named.filter((id) => !ids.includes(id))).toEqual([]);
  });
});
