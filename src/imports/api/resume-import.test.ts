import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import type { Import } from '../import.ts';
import { importsOperations } from '../operations.ts';

describe('resumeImport', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: importsOperations });
  });
  afterAll(() => t.close());

  const parameters = {
    filename: 'people.csv',
    columnMapping: [{ dbFieldName: 'fld1', idMappingMode: 1, fileColumnName: 'email' }],
  };
  const make = async (schedulingInfos: object, isPaused = true) => {
    const { data } = await t.call('POST', '/imports/scheduled', { body: { parameters, schedulingInfos } });
    const { id } = data as Import;
    if (isPaused) await t.call('POST', `/imports/${id}/pause`);
    return id;
  };
  const daily = (more: object = {}) => ({
    isRecurring: true,
    recurringInfos: { frequencyUnits: 'Day', time: '02:30:00', ...more },
  });
  const resume = (id: number) => t.call('POST', `/imports/${id}/resume`);
  const shown = async (id: number) => (await t.call('GET', `/imports/${id}`)).data as Import;
  const lastJob = (id: number) =>
    t.db.one<{ runAt: Date; run: number }>(sql`
      select run_at as "runAt", (payload ->> 'run')::int as run from graphile_worker._private_jobs
      where (payload ->> 'idImport')::int = ${id} order by id desc limit 1`);
  /** Does something at another time. */
  const at = async <T>(time: string, what: () => Promise<T>): Promise<T> => {
    const now = t.clock.now();
    t.clock.set(time);
    return what().finally(() => t.clock.set(now.toISOString()));
  };

  it('200 keeps a date to come, under a new plan so that the old job finds nothing to do', async () => {
    const id = await make({ scheduledDate: '2026-12-24T18:00:00Z' });
    expect(await resume(id)).toMatchObject({ status: 200, data: true });
    expect(await shown(id)).toMatchObject({
      importState: 'Scheduled',
      schedulingInfos: { scheduledDate: '2026-12-24T18:00:00.000Z' },
    });
    expect(await lastJob(id)).toEqual({ runAt: new Date('2026-12-24T18:00:00Z'), run: 2 });
  });

  it('200 immediately runs, once, what was due during the pause', async () => {
    const id = await make({ scheduledDate: '2026-11-20T18:00:00Z' });
    await at('2026-11-25T10:00:00Z', () => resume(id));
    expect((await lastJob(id)).runAt).toEqual(new Date('2026-11-20T18:00:00Z'));
  });

  it('200 waits for the next date of a recurring one', async () => {
    const id = await make(daily());
    await at('2026-11-25T10:00:00Z', () => resume(id));
    expect((await lastJob(id)).runAt).toEqual(new Date('2026-11-26T01:30:00Z'));
    expect((await shown(id)).schedulingInfos).toMatchObject({ scheduledDate: '2026-11-26T01:30:00.000Z' });
  });

  it('200 restarts the interrupted run of a recurring one, with the file of its date', async () => {
    const id = await make(daily());
    await t.db.run(sql`update ${t.db.t.import} set started_at = scheduled_at where id = ${id}`);
    await at('2026-11-25T10:00:00Z', () => resume(id));
    expect((await shown(id)).schedulingInfos).toMatchObject({ scheduledDate: '2026-11-21T01:30:00.000Z' });
    expect((await lastJob(id)).runAt).toEqual(new Date('2026-11-21T01:30:00Z'));
  });

  it('409 when no run is left', async () => {
    const id = await make(daily({ endDate: '2026-11-22T00:00:00Z' }));
    const { status, error } = await at('2026-11-25T10:00:00Z', () => resume(id));
    expect({ status, error }).toEqual({
      status: 409,
      error: 'The import cannot be resumed: no run is left before its endDate',
    });
    expect((await shown(id)).importState).toBe('Paused');
  });

  it.each(['Scheduled', 'InProgress'])('409 says what one that is %s would have to be', async (state) => {
    const id = await make(daily(), false);
    await t.db.run(sql`update ${t.db.t.import} set state = ${state} where id = ${id}`);
    expect(await resume(id)).toMatchObject({
      status: 409,
      error: `The import is ${state}: only one that is Paused can be resumed`,
    });
    expect((await shown(id)).importState).toBe(state);
  });

  it('200 for one of many who resume it at once, 409 for the others, and one plan', async () => {
    const id = await make({ scheduledDate: '2026-12-24T18:00:00Z' });
    const replies = await Promise.all(Array.from({ length: 8 }, () => resume(id)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    const jobs = await t.db.rows(sql`
      select from graphile_worker._private_jobs
      where (payload ->> 'idImport')::int = ${id} and (payload ->> 'run')::int = 2`);
    expect(jobs).toHaveLength(1);
  });

  it('404 for an unknown one, 403 without the right to write', async () => {
    expect((await resume(999_999)).error).toBe('Import not found');
    const id = await make(daily());
    expect((await t.call('POST', `/imports/${id}/resume`, { as: 'reader' })).status).toBe(403);
  });
});
