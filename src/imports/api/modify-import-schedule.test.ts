import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import type { Import } from '../import.ts';
import { importsOperations } from '../operations.ts';

describe('modifyImportSchedule', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: importsOperations });
  });
  afterAll(() => t.close());

  const parameters = {
    filename: 'people.csv',
    columnMapping: [{ dbFieldName: 'fld1', idMappingMode: 1, fileColumnName: 'email' }],
  };
  const daily = (more: object = {}) => ({
    isRecurring: true,
    recurringInfos: { filenameTemplate: 'people_{dd}.csv', frequencyUnits: 'Day', time: '02:30:00', ...more },
  });
  const make = async (schedulingInfos: object = daily()) => {
    const { data } = await t.call('POST', '/imports/scheduled', { body: { parameters, schedulingInfos } });
    return (data as Import).id;
  };
  const change = (id: number, body: object, more: object = {}) =>
    t.call('PUT', `/imports/${id}/schedule`, { body, ...more });
  const shown = async (id: number) => (await t.call('GET', `/imports/${id}`)).data as Import;
  const jobs = (id: number) =>
    t.db.rows<{ runAt: Date; run: number }>(sql`
      select run_at as "runAt", (payload ->> 'run')::int as run from graphile_worker._private_jobs
      where (payload ->> 'idImport')::int = ${id} order by id`);

  it('200: the new dates and file hold, under a new plan so that the old job finds nothing to do', async () => {
    const id = await make();
    const infos = daily({ filenameTemplate: 'new_{dd}.csv', frequency: 3, time: '04:00:00' });
    const { status, typeName, data } = await change(id, infos);
    expect([status, typeName]).toEqual([200, 'Import']);
    expect(data).toEqual(await shown(id));
    expect(data).toMatchObject({
      importState: 'Scheduled',
      parameters,
      schedulingInfos: { ...infos, scheduledDate: '2026-11-21T03:00:00.000Z' },
    });
    expect(await jobs(id)).toEqual([
      { runAt: new Date('2026-11-21T01:30:00Z'), run: 1 },
      { runAt: new Date('2026-11-21T03:00:00Z'), run: 2 },
    ]);
  });

  it('200 for a date once in place of a recurrence, and the other way round', async () => {
    const id = await make();
    const scheduledDate = '2026-12-24T17:00:00.000Z';
    expect((await change(id, { scheduledDate })).data).toMatchObject({
      schedulingInfos: { isRecurring: false, scheduledDate, recurringInfos: null },
    });
    expect((await change(id, daily())).data).toMatchObject({
      schedulingInfos: { isRecurring: true, scheduledDate: '2026-11-21T01:30:00.000Z' },
    });
  });

  it('200: a paused one stays paused, and its interrupted run is not repeated', async () => {
    const id = await make();
    await t.call('POST', `/imports/${id}/pause`);
    await t.db.run(sql`update ${t.db.t.import} set started_at = scheduled_at where id = ${id}`);
    expect((await change(id, daily({ time: '05:00:00' }))).data).toMatchObject({
      importState: 'Paused',
      schedulingInfos: { scheduledDate: '2026-11-21T04:00:00.000Z' },
    });
    expect(await jobs(id)).toHaveLength(1);
    expect((await t.call('POST', `/imports/${id}/resume`)).status).toBe(200);
    expect((await jobs(id)).at(-1)).toEqual({ runAt: new Date('2026-11-21T04:00:00Z'), run: 3 });
  });

  it('412 for a change of a version that another caller has changed', async () => {
    const id = await make();
    const { headers } = await t.call('GET', `/imports/${id}`);
    const known = { ifMatch: String(headers.etag) };
    expect((await change(id, daily({ time: '05:00:00' }), known)).status).toBe(200);
    expect((await change(id, daily({ time: '06:00:00' }), known)).status).toBe(412);
    expect(await shown(id)).toMatchObject({ schedulingInfos: { recurringInfos: { time: '05:00:00' } } });
  });

  it.each([
    [{}, 'scheduledDate: is required'],
    [{ scheduledDate: '2026-01-01T00:00:00Z' }, 'scheduledDate: 2026-01-01T00:00:00.000Z is past'],
    [daily({ time: '25:00:00' }), 'recurringInfos.time: must be HH:mm:ss'],
    [daily({ filenameTemplate: '../{dd}.csv' }), expect.stringContaining('filenameTemplate: ')],
  ])('400 for %j, and the schedule stays', async (body, error) => {
    const id = await make();
    const before = await shown(id);
    expect(await change(id, body)).toMatchObject({ status: 400, error });
    expect(await shown(id)).toEqual(before);
  });

  it.each(['InProgress', 'Completed', 'PackageErrorCreation'])('409 for one that is %s', async (state) => {
    const id = await make();
    await t.db.run(sql`update ${t.db.t.import} set state = ${state} where id = ${id}`);
    expect(await change(id, daily())).toMatchObject({
      status: 409,
      error: `The import is ${state}: only one that is Scheduled or Paused can be rescheduled`,
    });
  });

  it('404 for an unknown one, 403 without the right to write', async () => {
    expect((await change(999_999, daily())).error).toBe('Import not found');
    expect((await change(await make(), daily(), { as: 'reader' })).status).toBe(403);
  });
});
