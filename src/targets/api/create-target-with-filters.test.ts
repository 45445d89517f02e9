import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { siteFolderPath } from '../../files/sftp-server.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeTarget } from '../../testing/campaign-makers.ts';
import { foreignTarget } from '../../testing/foreign-target.ts';
import { makeRepository } from '../../testing/make-repository.ts';
import { targetsOperations } from '../operations.ts';

const subscribed = { filters: [{ idField: 7, operator: 'Equal', value: '0' }] };
const list = {
  filename: 'list.csv',
  dbFieldName: 'fld1',
  fileAutomaticDeletionDate: '2026-12-01T00:00:00.000Z',
};

describe('createTargetWithFilters', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: targetsOperations });
    await t.db.run(sql`
      insert into ${t.db.t.subscriber} (fld1, fld7)
      select 's' || i || '@example.org', i % 2 from generate_series(1, 60) i`);
    const folder = siteFolderPath(t.dataDir, t.db.site.id);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'list.csv'), 's2@example.org\ns4@example.org\ns90@example.org\n');
  });
  afterAll(() => t.close());
  beforeEach(async () => {
    await t.db.run(sql`update ${t.db.t.target} set deleted_at = now()`);
    await t.db.run(sql`delete from ${t.db.t.target_filter}`);
  });

  const create = (body: Record<string, unknown>) =>
    t.call('POST', '/targets/with-filters', { body: { name: 'New', ...body } });
  const stored = async () => [
    (await t.call('GET', '/targets/all')).data,
    await t.db.rows(sql`select kind from ${t.db.t.target_filter}`),
  ];
  const nothing = [expect.objectContaining({ totalCount: 0 }), []];

  it('200 stores the target as createTarget and the set operations do', async () => {
    const excluded = await makeTarget(t.db, { ids: [4], isSafe: false });
    const limits = { isTestTarget: true, pctSelect: 50, isRandomMode: true, excludedTargets: [excluded] };
    const filters = { field: subscribed, sql: { sql: 'fld0 < 50' }, file: list };
    const reply = await create({ ...limits, filters });
    const { id } = reply.data as { id: number };
    expect(reply).toMatchObject({
      status: 200,
      typeName: 'Target',
      data: {
        parameters: { name: 'New', maxSelect: null, ...limits },
        ...{ hasFieldFilter: true, hasSqlFilter: true, hasFileFilter: true, hasGeolocFilter: false },
        isSafe: true,
      },
    });
    expect((await t.call('GET', `/targets/${id}/filters/file`)).data).toEqual({
      ...{ idTarget: id, isEnabled: true },
      ...list,
    });
    expect((await t.call('GET', `/targets/${id}/filters/field`)).data).toMatchObject({ isEnabled: true });
    expect((await t.call('GET', `/targets/${id}/subscriber-ids`)).data).toEqual([2]);
    const due = `select run_at from graphile_worker.jobs where task_identifier = 'tidyFilterFiles'`;
    expect((await t.app.control.pool.query(due)).rows).toEqual([
      { run_at: new Date(list.fileAutomaticDeletionDate) },
    ]);
  });

  it('200 without a filter selects all', async () => {
    const { data } = await create({ filters: {} });
    const { id } = data as { id: number };
    expect((await t.call('GET', `/targets/${id}/count`)).data).toBe(60);
  });

  it.each([
    [400, { field: { filters: [{ idField: 7, operator: 'Greater', value: 'x' }] } }, /^field\.filters\[0\]/],
    [400, { field: { filters: [...subscribed.filters, { idField: 7 }] } }, /field\.filters\[1\]\.operator/],
    [400, { field: { filters: [] } }, /^field: has no condition; omit the filter$/],
    [400, { field: subscribed, sql: { sql: '1 / (fld0 - 1) > 0' } }, /^sql\.sql: .*division/],
    [400, { field: subscribed, file: { ...list, filename: 'none.csv' } }, /^file\.filename: /],
    [400, { reactivity: {} }, /reactivity/],
    [
      404,
      { sending: { hasReceived: true, idsCampaigns: '999' } },
      /^sending\.idsCampaigns: Campaign 999 not found$/,
    ],
  ])('%i stores nothing when a filter is wrong, and names it: %j', async (status, filters, error) => {
    expect(await create({ filters })).toMatchObject({ status, error: expect.stringMatching(error) });
    expect(await stored()).toEqual(nothing);
  });

  it('400 for a wrong name or share, as createTarget', async () => {
    expect((await create({ name: ' ', filters: {} })).error).toBe('name: must not be blank');
    expect((await create({ pctSelect: 0, filters: {} })).error).toContain('pctSelect: must be from 1');
  });

  it('404 and 409 for excluded targets, as createTarget, with nothing stored', async () => {
    const excludedTargets = [await foreignTarget(t)];
    expect(await create({ filters: { field: subscribed }, excludedTargets })).toMatchObject({
      status: 404,
      error: 'excludedTargets: Target 5000 not found',
    });
    expect(await stored()).toEqual(nothing);
    const make = async (excluded: number[]) => {
      const { data } = await create({ filters: {}, excludedTargets: excluded });
      return (data as { id: number }).id;
    };
    let last: number[] = [];
    for (let i = 0; i < 7; i++) last = [await make(last), await make(last)];
    expect(await create({ filters: { field: subscribed }, excludedTargets: last })).toMatchObject({
      status: 409,
      error: expect.stringContaining('more than 200 excluded sets'),
    });
    expect(await stored()).toEqual([expect.objectContaining({ totalCount: 14 }), []]);
  });

  it.each([
    [422, '10.0.0.1'],
    [503, '127.0.0.1'],
  ])('%i when the file of the last filter cannot be reached, with nothing stored', async (status, host) => {
    const id = await makeRepository(t.db, t.app.secrets, { host, port: 1 });
    await t.db.run(sql`update ${t.db.t.repository} set is_default = true where id = ${id}`);
    const reply = await create({ filters: { field: subscribed, file: { ...list, filename: 'other.csv' } } });
    await t.db.run(sql`delete from ${t.db.t.repository} where id = ${id}`);
    expect(reply).toMatchObject({ status });
    expect(await stored()).toEqual(nothing);
  });

  it('503 when its process dies while it stores the last filter, with nothing stored', async () => {
    const { schema } = t.db.site;
    await t.app.control.pool.query(`
      create function ${schema}.die() returns trigger language plpgsql as
        $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
      create trigger die before insert on ${schema}.target_filter
        for each row when (new.kind = 'file') execute function ${schema}.die()`);
    const filters = { field: subscribed, sql: { sql: 'fld0 < 50' }, file: list };
    expect(await create({ filters })).toMatchObject({ status: 503 });
    expect(await stored()).toEqual(nothing);
    await t.app.control.pool.query(`drop trigger die on ${schema}.target_filter`);
    expect(await create({ filters })).toMatchObject({ status: 200 });
  });
});
